#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "lacp/base/random.hpp"

using lacp::Stream;
using lacp::StreamName;

TEST_CASE("a stream is what its name says, on every platform") {
  Stream stream({.seed = 1, .dataset = "energy", .run = 2, .method = "exp", .purpose = "weights"});
  CAPTURE(stream.bits());
}
