#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "lacp/base/random.hpp"

using lacp::Stream;
using lacp::StreamName;

namespace {

constexpr StreamName some_name{
    .seed = 1, .dataset = "energy", .run = 2, .method = "exp", .purpose = "weights"};

// The stream is fixed, so a statistical test passes always or never. Five standard errors: a correct
// generator fails such a bound for one seed in two million.
constexpr double five_standard_errors = 5.0;

}  // namespace

// The stored values come from a second implementation of the documented algorithm, in Python with exact
// integers.
TEST_CASE("a named stream gives the stored numbers on every platform, to the last bit") {
  CHECK(Stream(0).bits() == 0x53175d61490b23dfULL);  // published for xoshiro256++ seeded by SplitMix64
  const auto check = [](const auto& draw, const auto& expected) {
    Stream stream(some_name);
    for (const auto value : expected) CHECK(draw(stream) == value);
  };
  check([](Stream& s) { return s.bits(); }, std::array{0xb1442f268214634bULL, 0x482716dbe1bba24bULL,
                                                       0xa3a298b2842f870cULL, 0x1364e6e9a71e394cULL});
  check([](Stream& s) { return s.uniform(); },
        std::array{0x1.62885e4d0428cp-1, 0x1.209c5b6f86ee8p-2, 0x1.47453165085f0p-1});
  check([](Stream& s) { return s.normal(); }, std::array{-0x1.3783f234b3051p+0, -0x1.0232e31f21ccap+1,
                                                         0x1.8a0faab403292p-1, -0x1.93e7c453d6c62p-1});
  // A product and a sum that are fused would end in ...85p-4 and ...dafp-7.
  check([](Stream& s) { return s.uniform(-0.1, 0.2); },
        std::array{0x1.b94748b8d6c86p-4, -0x1.fa22f89e23db0p-7});
  check([](Stream& s) { return s.below(10); }, std::array{9u, 1u, 6u, 2u, 4u, 3u, 3u, 7u, 2u, 0u, 6u, 7u});
  CHECK(Stream(some_name).permutation<int>(10) == std::vector<int>{8, 0, 1, 7, 3, 2, 6, 4, 5, 9});
}

TEST_CASE("normal variates have the distribution function of N(0, 1)") {
  constexpr int n = 200'000;
  Stream stream(some_name);
  std::vector<double> x(n);
  for (double& value : x) value = stream.normal();
  for (const double z : {-3.0, -2.0, -1.0, -0.25, 0.0, 0.5, 1.0, 2.0, 3.0}) {
    CAPTURE(z);
    const double p = 0.5 * std::erfc(-z / std::sqrt(2.0));
    const auto below = static_cast<double>(std::ranges::count_if(x, [z](double v) { return v < z; }));
    CHECK(std::abs(below / n - p) < five_standard_errors * std::sqrt(p * (1 - p) / n));
  }
}

TEST_CASE("below() is without bias: a plain remainder would give the lowest third half of the draws") {
  constexpr int n = 30'000;
  Stream stream(some_name);
  int lowest_third = 0;
  for (int i = 0; i < n; ++i) lowest_third += stream.below(3ULL << 62) < (1ULL << 62) ? 1 : 0;
  CHECK(std::abs(lowest_third / double{n} - 1.0 / 3) < five_standard_errors * std::sqrt(2.0 / 9 / n));
  CHECK(stream.below(1) == 0);
}

TEST_CASE("names that differ in any field give different streams") {
  const std::vector<StreamName> names = {
      some_name,
      {.seed = 2, .dataset = "energy", .run = 2, .method = "exp", .purpose = "weights"},
      {.seed = 1, .dataset = "concrete", .run = 2, .method = "exp", .purpose = "weights"},
      {.seed = 1, .dataset = "energy", .run = 3, .method = "exp", .purpose = "weights"},
      {.seed = 1, .dataset = "energy", .run = 2, .method = "erc", .purpose = "weights"},
      {.seed = 1, .dataset = "energy", .run = 2, .method = "exp", .purpose = "shuffle"},
      {.seed = 2, .dataset = "energy", .run = 1, .method = "exp", .purpose = "weights"},   // numbers swapped
      {.seed = 1, .dataset = "energ", .run = 2, .method = "yexp", .purpose = "weights"},   // a letter moved
      {.seed = 1, .dataset = "energy", .run = 2, .method = "", .purpose = "expweights"}};  // a field moved
  std::set<std::uint64_t> first_bits;
  for (const StreamName& name : names) first_bits.insert(Stream(name).bits());
  CHECK(first_bits.size() == names.size());
}
