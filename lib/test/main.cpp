#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>


int main(int argc, char** argv) {
  // For the programs that a test starts, not for itself: with GCC 12 on arm64 the search for leaks takes four
  // seconds at each one's end. The test `smoke` looks for leaks in lacp.
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", /*overwrite=*/0);
  return doctest::Context(argc, argv).run();
}
