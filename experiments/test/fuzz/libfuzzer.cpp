// What `make fuzz` links to a target: an exception that leaves it is a crash, with the input kept.
#include <cstddef>
#include <cstdint>

#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lacp::fuzz::try_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
