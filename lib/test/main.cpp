#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cerrno>
#include <cstdlib>

#include "temporary_folder.hpp"

/// How often this thread has allocated, counted by taking the place of the C library's functions, which
/// Armadillo calls too. A sanitizer brings its own, and other C libraries have no way on to the original.
thread_local std::size_t allocations = 0;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  ++allocations;
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
