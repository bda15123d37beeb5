#include <doctest/doctest.h>

#include <algorithm>
#include <numbers>
#include <vector>

#include "common/coverage.hpp"
#include "lacp/base/random.hpp"
#include "near.hpp"
#include "report/analysis/statistics.hpp"

using namespace lacp;

namespace {
const double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double tight = 1e-12;  // closed forms in double
Near near(double v) { return ::near(v, tight); }
}  // namespace

TEST_CASE("moments are the population's, as in Table 1") {
  const Moments m = moments(std::vector{1.0, 2.0, 3.0, 4.0, 10.0});
  CHECK(m.mean == near(4.0));
  CHECK(m.deviation == near(std::sqrt(10.0)));  // (9 + 4 + 1 + 0 + 36) / 5
  CHECK(m.standard_error() == near(std::sqrt(10.0 / 4.0)));
  CHECK(std::isnan(moments(std::vector{1.0}).standard_error()));
  CHECK(std::isinf(moments(std::vector{1.0, infinity}).mean));
}

TEST_CASE(
    "the error of a median is that of a normal distribution, and one run that explodes does not move it") {
  // 1.4826 is 1 / Φ⁻¹(3/4), to four decimals; the median of the distances from 3 is 1.
  for (const double last : {10.0, 1e9})
    CHECK(median_error(std::vector{1.0, 2.0, 3.0, 4.0, last}) ==
          near(1.4826 * std::sqrt(std::numbers::pi / 10.0)));
  CHECK(std::isnan(median_error(std::vector{1.0})));
}

TEST_CASE("splits of the same rows: their variance counts 1/n + overlap times (Nadeau and Bengio)") {
  const std::vector<double> runs = {1.0, 2.0, 3.0, 4.0, 10.0};
  const double error = std::sqrt(12.5 * (1.0 / 5.0 + 0.25));
  CHECK(moments(runs, 0.25).standard_error() == near(error));
  CHECK(paired_interval(runs, 0.25).p == near(student_two_sided_p(4.0 / error, 4.0)));
}

TEST_CASE("coverage of nine predictors of ten: closed forms of the beta law") {
  const auto [low, high] = expected_coverage(Level::parse("0.05"), Sides::both, 19);  // Beta(19, 1)
  CHECK(low == near(std::pow(0.05, 1.0 / 19.0)));
  CHECK(high == near(std::pow(0.95, 1.0 / 19.0)));
  const auto [least, most] = expected_coverage(Level::parse("0.5"), Sides::each, 3);  // Beta(2, 2): 3x² − 2x³
  CHECK(least * least * (3.0 - 2.0 * least) == near(0.05));
  CHECK(most * most * (3.0 - 2.0 * most) == near(0.95));
  CHECK(expected_coverage(Level::parse("0.05"), Sides::both, 18) == std::pair(1.0, 1.0));
  CHECK(expected_coverage(Level::parse("0.05"), Sides::each, 38) == std::pair(1.0, 1.0));
}

TEST_CASE("shares of new points: the beta law of many") {
  const Level level = Level::parse("0.1");
  const auto [low, high] = expected_share(level, Sides::both, 9, 1'000'000'000);  // nearly Beta(9, 1)
  CHECK(low == near(std::pow(0.005, 1.0 / 9.0), 1e-6));
  CHECK(high == near(std::pow(0.995, 1.0 / 9.0), 1e-6));
  CHECK(expected_share(level, Sides::both, 8, 10) == std::pair(1.0, 1.0));
}

TEST_CASE("Student's t: closed forms for 1, 2 and 4 degrees, the normal law in the limit, tables") {
  for (const double t : {0.1, 1.0, 2.0, 7.5}) {
    CHECK(student_two_sided_p(t, 1.0) == near(1.0 - 2.0 / std::numbers::pi * std::atan(t)));
    CHECK(student_two_sided_p(-t, 2.0) == near(1.0 - t / std::sqrt(2.0 + t * t)));
    CHECK(student_two_sided_p(t, 1e9) == near(std::erfc(t / std::numbers::sqrt2), 1e-6));
  }
  // Tables, nine decimals.
  CHECK(student_two_sided_t(0.05, 4.0) == near(2.776445105, 1e-8));
  CHECK(student_two_sided_t(0.05, 19.0) == near(2.093024054, 1e-8));
  CHECK(student_two_sided_t(0.01, 49.0) == near(2.679951974, 1e-8));
  CHECK(normal_two_sided_z(0.05) == near(1.959963985, 1e-9));
}

TEST_CASE("Welch's test: a worked example, and what has no spread or too few runs") {
  // Variances 4 and 1 with 5 runs each: standard errors² 0.8 and 0.2, difference 2, z = 2.
  const Moments a{10.0, std::sqrt(4.0 * 4.0 / 5.0), 5}, b{8.0, std::sqrt(4.0 / 5.0), 5};
  const WelchTest w = welch_test(a, b);
  CHECK(w.z == near(2.0));
  CHECK(w.freedom == near(1.0 / (0.64 / 4.0 + 0.04 / 4.0)));
  CHECK(w.p == near(student_two_sided_p(2.0, w.freedom)));
  CHECK(welch_test({1.0, 0.0, 5}, {1.0, 0.0, 5}).p == 1.0);
  CHECK(std::isnan(welch_test({1.0, 0.0, 5}, {0.5, 0.0, 5}).p));  // a variance of zero decides nothing
  CHECK(std::isnan(welch_test({1.0, 0.0, 1}, b).p));
  CHECK(std::isnan(welch_test({infinity, not_a_number, 5}, b).p));
}

TEST_CASE("Holm's correction") {
  const std::vector<double> adjusted = holm(std::vector{0.01, 0.04, 0.03, 0.005, not_a_number});
  const double expected[] = {0.03, 0.06, 0.06, 0.02};  // never below the one before
  for (std::size_t i = 0; i < 4; ++i) CHECK(adjusted[i] == near(expected[i]));
  CHECK(std::isnan(adjusted[4]));
  CHECK(holm(std::vector{0.9, 0.8})[0] == 1.0);
}

TEST_CASE("paired interval") {
  const PairedInterval i = paired_interval(std::vector{1.0, 2.0, 3.0, 4.0, 5.0}, 0.0);
  CHECK(i.upper - 3.0 == near(2.7764451 * std::sqrt(0.5), 1e-7));
  CHECK(i.p == near(student_two_sided_p(3.0 / std::sqrt(0.5), 4.0)));
  CHECK(std::isinf(paired_interval(std::vector{1.0}, 0.0).upper));
  CHECK(paired_interval(std::vector{0.0, 0.0}, 0.0).p == 1.0);
}

TEST_CASE("Mann and Whitney: a table's example, ties, and sides that cannot be told apart") {
  const std::vector<double> low = {1, 2, 3, 4, 5}, high = {6, 7, 8, 9, 10};
  // U = 0, mean 12.5, variance 25 · 11 / 12; corrected for continuity.
  CHECK(mann_whitney_p(low, high) ==
        near(std::erfc(12.0 / std::sqrt(275.0 / 12.0) / std::numbers::sqrt2), 1e-9));
  CHECK(mann_whitney_p(low, high) == mann_whitney_p(high, low));
  CHECK(mann_whitney_p(low, low) == near(1.0, 1e-9));
  // Ties: ranks 1.5, 1.5, 3.5 against 3.5, 5.5, 5.5; the variance is nm / (N (N − 1)) times their squared
  // spread.
  const double variance = 9.0 / 30.0 * (2 * 4.0 + 0.0 + 0.0 + 2 * 4.0);
  CHECK(mann_whitney_p(std::vector{1.0, 1.0, 2.0}, std::vector{2.0, 3.0, 3.0}) ==
        near(std::erfc(3.5 / std::sqrt(variance) / std::numbers::sqrt2), 1e-9));
  CHECK(std::isnan(mann_whitney_p(std::vector{1.0, 1.0}, std::vector{1.0})));
  CHECK(std::isnan(mann_whitney_p(std::vector<double>(), high)));
}

TEST_CASE("Wilcoxon's signed ranks: all signs tried, ties, zeros and infinities, and tables") {
  for (const std::vector<double>& differences : {std::vector{1.0, 2.0, -3.0, 4.0, 5.0},
                                                 {0.5, 0.5, -0.5, 1.0, 2.0, 2.0},
                                                 {0.0, 0.0, 1.0, -2.0, 3.0, 3.0},
                                                 {infinity, 1.0, -2.0, infinity}}) {
    // Ranks of the sizes, by counting; then every choice of signs.
    std::vector<double> ranks;
    double sum = 0.0;
    for (const double d : differences) {
      double rank = 0.5;
      for (const double other : differences)
        rank += std::abs(other) < std::abs(d) ? 1.0 : std::abs(other) == std::abs(d) ? 0.5 : 0.0;
      ranks.push_back(d == 0.0 ? 0.0 : rank);
      sum += d > 0.0 ? ranks.back() : -ranks.back();
    }
    const std::size_t all = std::size_t{1} << differences.size();
    std::size_t as_far = 0;
    for (std::size_t signs = 0; signs < all; ++signs) {
      double drawn = 0.0;
      for (std::size_t i = 0; i < ranks.size(); ++i) drawn += (signs >> i & 1) != 0 ? ranks[i] : -ranks[i];
      as_far += std::abs(drawn) >= std::abs(sum) ? 1 : 0;
    }
    CHECK(wilcoxon_p(differences) == near(static_cast<double>(as_far) / static_cast<double>(all)));
  }
  CHECK(wilcoxon_p(std::vector{0.0, not_a_number}) == 1.0);
}

TEST_CASE("Pitman and Morgan: paired samples of other variance are told apart, whatever their means") {
  const std::vector<double> wide = {1.2, 0.4, 2.9, 1.1, 3.8, 0.2, 2.2},
                            narrow = {1.0, 0.9, 1.4, 1.1, 1.3, 0.8, 1.2};
  std::vector<double> shifted = narrow, turned(narrow.rbegin(), narrow.rend());
  for (double& value : shifted) value += 100.0;
  for (const double p :
       {same_variance_p(wide, narrow), same_variance_p(narrow, wide), same_variance_p(wide, shifted)})
    CHECK(p == near_share(1.2114388864e-5, 1e-6));  // r = 0.99167, 5 degrees
  CHECK(same_variance_p(narrow, turned) == near(1.0, 1e-9));
  CHECK(std::isnan(same_variance_p(std::vector{1.0, 2.0}, std::vector{1.0, 3.0})));
}

TEST_CASE("numbers of covered points: the laws of few rows that calibrate, and of few points") {
  const Level level = Level::parse("0.1");
  // The Beta law where points are many, and the binomial one where rows that calibrate are.
  const auto [low, high] = expected_covered(level, Sides::both, std::vector<NewPoints>{{1'000'000, 9}});
  CHECK(static_cast<double>(low) / 1e6 == near(std::pow(0.025, 1.0 / 9.0), 1e-5));
  CHECK(static_cast<double>(high) / 1e6 == near(std::pow(0.975, 1.0 / 9.0), 1e-5));
  const auto [fewest, most] = expected_covered(level, Sides::both, std::vector<NewPoints>{{100, 99'999'999}});
  CHECK((fewest == 84 && most == 95));
  CHECK(expected_covered(level, Sides::both, std::vector<NewPoints>{{7, 8}}) ==
        std::pair<std::size_t, std::size_t>(7, 7));
}
