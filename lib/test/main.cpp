#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "lacp/base/blas.hpp"

int main(int argc, char** argv) {
  lacp::use_one_blas_thread();  // as the program does
  return doctest::Context(argc, argv).run();
}
