#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cerrno>
#include <cstdlib>

#include "allocations.hpp"
#include "temporary_folder.hpp"

#ifdef LACP_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations, allocated += size;
  return __libc_malloc(size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  ++allocations, allocated += size;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}
#endif

int main(int argc, char** argv) {
  // For the programs that a test starts, not for itself: with GCC 12 on arm64 the search for leaks takes four
  // seconds at each one's end. The test `smoke` looks for leaks in lacp.
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", /*overwrite=*/0);
  // Files that a test names without a folder are gone afterwards, wherever it was started.
  const TemporaryFolder here;
  std::filesystem::current_path(here.path());
  return doctest::Context(argc, argv).run();
}
