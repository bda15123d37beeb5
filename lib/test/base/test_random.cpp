#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <thread>
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

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

}  // namespace

// The stored values come from a second implementation of the documented algorithm, in Python with exact
// integers.
TEST_CASE("a named stream gives the stored numbers on every platform") {
  Stream stream(some_name);
  for (const std::uint64_t expected :
       {0xb1442f268214634bULL, 0x482716dbe1bba24bULL, 0xa3a298b2842f870cULL, 0x1364e6e9a71e394cULL})
    CHECK(stream.bits() == expected);
}

TEST_CASE("the generator is xoshiro256++ seeded by SplitMix64") {
  CHECK(Stream(0).bits() == 0x53175d61490b23dfULL);  // published for seed 0
}

TEST_CASE("uniform and normal variates are the stored ones to the last bit") {
  Stream uniform(some_name);
  for (const double expected : {0x1.62885e4d0428cp-1, 0x1.209c5b6f86ee8p-2, 0x1.47453165085f0p-1})
    CHECK(uniform.uniform() == expected);
  Stream normal(some_name);
  for (const double expected :
       {-0x1.3783f234b3051p+0, -0x1.0232e31f21ccap+1, 0x1.8a0faab403292p-1, -0x1.93e7c453d6c62p-1})
    CHECK(normal.normal() == expected);
}

TEST_CASE("no fused multiply-add gets into uniform(low, high)") {
  Stream stream(some_name);  // fused, these two would end in ...85p-4 and ...dafp-7
  CHECK(stream.uniform(-0.1, 0.2) == 0x1.b94748b8d6c86p-4);
  CHECK(stream.uniform(-0.1, 0.2) == -0x1.fa22f89e23db0p-7);
}

TEST_CASE("bounded integers and shuffles are the stored ones") {
  Stream stream(some_name);
  for (const unsigned expected : {9u, 1u, 6u, 2u, 4u, 3u, 3u, 7u, 2u, 0u, 6u, 7u})
    CHECK(stream.below(10) == expected);
  CHECK(Stream(some_name).permutation<int>(10) == std::vector<int>{8, 0, 1, 7, 3, 2, 6, 4, 5, 9});
}

TEST_CASE("normal variates have the moments and the distribution function of N(0, 1)") {
  constexpr int n = 200'000;
  Stream stream(some_name);
  std::vector<double> x(n);
  std::array<double, 5> moment{};
  for (double& value : x) {
    value = stream.normal();
    for (int k = 1; k <= 4; ++k) moment[static_cast<std::size_t>(k)] += std::pow(value, k) / n;
  }
  CHECK(std::abs(moment[1]) < five_standard_errors * std::sqrt(1.0 / n));
  CHECK(std::abs(moment[2] - 1) < five_standard_errors * std::sqrt(2.0 / n));
  CHECK(std::abs(moment[3]) < five_standard_errors * std::sqrt(15.0 / n));
  CHECK(std::abs(moment[4] - 3) < five_standard_errors * std::sqrt(96.0 / n));
  for (const double z : {-3.0, -2.0, -1.0, -0.25, 0.0, 0.5, 1.0, 2.0, 3.0}) {
    CAPTURE(z);
    const double p = normal_cdf(z);
    const auto below = static_cast<double>(std::ranges::count_if(x, [z](double v) { return v < z; }));
    CHECK(std::abs(below / n - p) < five_standard_errors * std::sqrt(p * (1 - p) / n));
  }
}

TEST_CASE("below() is without bias") {
  SUBCASE("a bound of 3/4 · 2^64: a plain remainder would give the lowest third half of the draws") {
    constexpr int n = 30'000;
    Stream stream(some_name);
    int lowest_third = 0;
    for (int i = 0; i < n; ++i) lowest_third += stream.below(3ULL << 62) < (1ULL << 62) ? 1 : 0;
    CHECK(std::abs(lowest_third / double{n} - 1.0 / 3) < five_standard_errors * std::sqrt(2.0 / 9 / n));
  }
  SUBCASE("a bound of one leaves no choice") { CHECK(Stream(some_name).below(1) == 0); }
}

TEST_CASE("a permutation has every index once, and every first place is as likely") {
  Stream stream(some_name);
  for (const std::size_t n : {0u, 1u, 2u, 7u, 1000u}) {
    std::vector<std::size_t> order = stream.permutation(n);
    std::ranges::sort(order);
    REQUIRE(order.size() == n);
    for (std::size_t i = 0; i < n; ++i) REQUIRE(order[i] == i);
  }
  constexpr int n = 24'000;
  std::array<int, 24> count{};
  for (int i = 0; i < n; ++i) {
    const std::vector<int> order = stream.permutation<int>(4);
    int rank = 0;  // 0, ..., 23: the place of this order among all orders of four things
    for (std::size_t a = 0; a < 4; ++a)
      rank = rank * static_cast<int>(4 - a) +
             static_cast<int>(std::count_if(order.begin() + static_cast<std::ptrdiff_t>(a), order.end(),
                                            [&](int later) { return later < order[a]; }));
    ++count.at(static_cast<std::size_t>(rank));
  }
  double chi_squared = 0;
  for (const int c : count) chi_squared += std::pow(c - n / 24, 2) / (n / 24);
  CHECK(chi_squared < 55.0);  // 23 degrees of freedom, p = 2e-4
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
  first_bits.clear();
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (std::uint64_t run = 0; run < 100; ++run)
      first_bits.insert(
          Stream({.seed = seed, .dataset = "", .run = run, .method = "", .purpose = ""}).bits());
  CHECK(first_bits.size() == 10'000);
}

TEST_CASE("what a stream gives does not depend on other streams or threads") {
  constexpr std::size_t streams = 8, draws = 1000;
  const auto draw = [](std::uint64_t run) {
    Stream stream({.seed = 1, .dataset = "energy", .run = run, .method = "exp", .purpose = "shuffle"});
    std::vector<double> values(draws);
    for (double& value : values) value = stream.normal();
    return values;
  };
  std::vector<std::vector<double>> threaded(streams);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < streams; ++i) threads.emplace_back([&, i] { threaded[i] = draw(i); });
  }
  for (std::size_t i = streams; i-- > 0;) CHECK(threaded[i] == draw(i));
}
