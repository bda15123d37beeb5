#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/base/error.hpp"

namespace lacp::fuzz {

/// What a reader of untrusted bytes has to bear: each fuzz/<target>.cpp defines it once. Returns if the bytes
/// were read or refused as they should be; anything else is a bug, and leaves as another exception or a
/// crash.
void try_input(std::string_view bytes);

/// Inputs of about a megabyte that cost the target as much as any that come to mind.
std::vector<std::string> costly_inputs();

/// What bytes of at most a megabyte may cost, beyond the memory that the program has at its start.
constexpr std::size_t most_input = 1 << 20;
constexpr std::size_t most_memory = 256 << 20;

/// The reader broke a promise.
class Broken : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// The unit again and again, as long as a megabyte lasts.
inline std::string repeat(std::string_view unit, std::string_view before = "", std::string_view after = "") {
  std::string text(before);
  while (text.size() + unit.size() + after.size() <= most_input) text += unit;
  return text.append(after);
}

inline void require(bool promise, std::string_view what) {
  if (!promise) throw Broken(std::string(what));
}

/// Runs a reader that may refuse: with a UserError of one line that begins with the file.
template <class Read>
void read_or_refuse(std::string_view file, Read&& read) {
  constexpr std::size_t longest = 2000;
  try {
    read();
  } catch (const UserError& error) {
    const std::string_view message = error.what();
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    const bool one_line = std::find_if(message.begin(), message.end(), is_control) == message.end();
    if (!message.starts_with(std::string(file) + ":") || !one_line || message.size() > longest)
      throw Broken(fmt::format("a message of another form: {}", message.substr(0, longest)));
  }
}

}  // namespace lacp::fuzz

#ifdef LACP_FUZZ
/// What `make fuzz` calls: an exception that leaves it is a crash, with the input kept.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  lacp::fuzz::try_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
