#include <doctest/doctest.h>

#include <algorithm>
#include <numbers>
#include <vector>

#include "common/coverage.hpp"
#include "lacp/base/random.hpp"
#include "lacp/base/sums.hpp"
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
  CHECK(median_error(std::vector{1.0, 2.0, 3.0, 4.0, 10.0}) ==
        near(1.4826 * std::sqrt(std::numbers::pi / 10.0)));
  CHECK(median_error(std::vector{1.0, 2.0, 3.0, 4.0, 1e9}) ==
        near(1.4826 * std::sqrt(std::numbers::pi / 10.0)));
  CHECK(std::isnan(median_error(std::vector{1.0})));
  constexpr std::size_t n = 101, times = 4000;  // the spread of medians of normal numbers
  Stream stream(2);
  std::vector<double> medians, errors;
  for (std::size_t t = 0; t < times; ++t) {
    std::vector<double> runs(n);
    for (double& run : runs) run = stream.normal();
    medians.push_back(median_of(runs));
    errors.push_back(median_error(runs));
  }
  CHECK(mean_of(errors) ==
        ::near(deviation_of(medians), 0.03));  // three standard errors of a deviation of 4,000
}

TEST_CASE("splits of the same rows: a t-test that allows for them keeps its 5 %, Student's does not") {
  // Nadeau and Bengio's model: results of n runs with the same mean 0 and a correlation ρ between any two,
  // ρ / (1 − ρ) = rows scored / rows learned from.
  constexpr double overlap = 0.1 / 0.8, rho = overlap / (1.0 + overlap);
  constexpr std::size_t n = 10, times = 20000;
  Stream stream(1);
  std::size_t corrected = 0, independent = 0;
  for (std::size_t t = 0; t < times; ++t) {
    const double shared = std::sqrt(rho) * stream.normal();
    std::vector<double> runs(n);
    for (double& run : runs) run = shared + std::sqrt(1.0 - rho) * stream.normal();
    corrected += paired_interval(runs, overlap).p < 0.05 ? 1 : 0;
    independent += paired_interval(runs, 0.0).p < 0.05 ? 1 : 0;
  }
  CHECK(std::abs(static_cast<double>(corrected) - 1000.0) < 4 * std::sqrt(950.0));
  CHECK(independent > 3000);  // 0.16 of them
  CHECK(moments(std::vector{1.0, 2.0, 3.0, 4.0, 10.0}, 0.25).standard_error() ==
        near(std::sqrt(12.5 * (1.0 / 5.0 + 0.25))));
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

TEST_CASE("shares of new points: the beta law of many, and at most one draw of 200 lies below") {
  const Level level = Level::parse("0.1");
  const auto [low, high] = expected_share(level, Sides::both, 9, 1'000'000'000);  // nearly Beta(9, 1)
  CHECK(low == near(std::pow(0.005, 1.0 / 9.0), 1e-6));
  CHECK(high == near(std::pow(0.995, 1.0 / 9.0), 1e-6));
  CHECK(expected_share(level, Sides::both, 8, 10) == std::pair(1.0, 1.0));
  // Ranks of calibration and new points among uniform numbers, as they are drawn in fact.
  Stream stream(1);
  constexpr std::size_t n = 60, rows = 80, times = 20000;
  const double least = expected_share(level, Sides::both, n, rows).first;
  std::size_t below = 0;
  for (std::size_t t = 0; t < times; ++t) {
    std::vector<double> scores(n);
    for (double& score : scores) score = stream.uniform();
    std::ranges::sort(scores);
    std::size_t covered = 0;
    for (std::size_t i = 0; i < rows; ++i) covered += stream.uniform() <= scores[level.rank(n) - 1] ? 1 : 0;
    below += static_cast<double>(covered) / rows < least ? 1 : 0;
  }
  // By the beta-binomial law 0.00338 of them, with four standard deviations; never more than one of 200.
  CHECK(std::abs(static_cast<double>(below) - 67.7) < 4 * std::sqrt(67.7));
  CHECK(below < times / 200);
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
  CHECK(welch_test({1.0, 0.0, 5}, {0.5, 0.0, 5}).p == 0.0);
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

TEST_CASE("the studentised range: tables, and for two groups the normal law") {
  CHECK(studentised_range_q(0.05, 2) == near(std::numbers::sqrt2 * normal_two_sided_z(0.05), 1e-10));
  // Harter (1960), infinite degrees of freedom; Demšar (2006), Table 5, is the same divided by √2.
  for (const auto& [groups, q] : {std::pair(3u, 3.314), {5u, 3.858}, {10u, 4.474}, {20u, 5.012}})
    CHECK(studentised_range_q(0.05, groups) == near(q, 6e-4));
  CHECK(studentised_range_q(0.01, 3) == near(4.120, 6e-4));
  CHECK(studentised_range_q(0.10, 10) == near(4.129, 6e-4));
}

TEST_CASE("ranks, and Friedman's test: ties and infinities, Demšar's example, and what leaves no doubt") {
  const std::vector<double> tied = {3.0, 1.0, infinity, 1.0, infinity};
  CHECK(friedman_test({tied, tied}).mean_ranks == std::vector{3.0, 1.5, 4.5, 1.5, 4.5});
  // Demšar (2006), Table 6: four versions of C4.5 on 14 data sets, areas under the curve; larger is better.
  std::vector<std::vector<double>> areas = {
      {0.763, 0.768, 0.771, 0.798},  {0.599, 0.591, 0.590, 0.569}, {0.954, 0.971, 0.968, 0.967},
      {0.628, 0.661, 0.654, 0.657},  {0.882, 0.888, 0.886, 0.898}, {0.936, 0.931, 0.916, 0.931},
      {0.661, 0.668, 0.609, 0.685},  {0.583, 0.583, 0.563, 0.625}, {0.775, 0.838, 0.866, 0.875},
      {1.000, 1.000, 1.000, 1.000},  {0.940, 0.962, 0.965, 0.962}, {0.619, 0.666, 0.614, 0.669},
      {0.972, 0.981, 0.9751, 0.975}, {0.957, 0.978, 0.946, 0.970}};
  for (auto& row : areas)
    for (double& area : row) area = -area;
  const FriedmanTest test = friedman_test(areas);
  const double ranks[] = {3.143, 2.000, 2.893, 1.964};
  for (std::size_t i = 0; i < 4; ++i) CHECK(test.mean_ranks[i] == near(ranks[i], 1e-3));
  CHECK(test.critical_difference == near(2.569 * std::sqrt(4.0 * 5.0 / (6.0 * 14.0)), 1e-3));
  // He has F = 3.69 without regard to ties, which make it a little larger.
  CHECK(test.p < fisher_p(3.69, 3.0, 39.0));
  CHECK(test.p > fisher_p(4.6, 3.0, 39.0));
  CHECK(friedman_test({{1.0, 2.0}, {1.0, 2.0}, {3.0, 4.0}}).p == 0.0);
  CHECK(friedman_test({{1.0, 1.0}, {2.0, 2.0}}).p == 1.0);
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
  // Tables: of ten differences a sum of 8 is significant at 5 % on two sides, one of 9 is not.
  std::vector<double> ten = {1, 2, 3, 4, 5, 6, 7, -8, 9, 10};
  CHECK(wilcoxon_p(ten) < 0.05);
  std::swap(ten[7], ten[8]);
  ten[7] = 8.0, ten[8] = -9.0;
  CHECK(wilcoxon_p(ten) > 0.05);
}

TEST_CASE("Fisher's F: one degree above is Student's t squared") {
  for (const double t : {0.3, 1.0, 2.5})
    CHECK(fisher_p(t * t, 1.0, 7.0) == near(student_two_sided_p(t, 7.0)));
  CHECK(fisher_p(2.85, 3.0, 39.0) == near(0.05, 1e-3));  // tables: F(3, 39) = 2.85
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

TEST_CASE(
    "numbers of covered points: at most one time of 20 outside, by the rows of one class or of several") {
  const Level level = Level::parse("0.1");
  const std::vector<NewPoints> one{{200, 60}}, two{{150, 40}, {50, 300}}, few{{10, 60}};
  Stream stream(3);
  constexpr std::size_t times = 5000;
  const auto outside = [&](const std::vector<NewPoints>& points) {
    const auto [least, most] = expected_covered(level, Sides::both, points);
    std::size_t found = 0;
    for (std::size_t t = 0; t < times; ++t) {
      std::size_t covered = 0;
      for (const NewPoints& some : points) {
        std::vector<double> scores(some.calibrating);
        for (double& score : scores) score = stream.uniform();
        std::ranges::sort(scores);
        const double q = scores[level.rank(some.calibrating) - 1];
        for (std::size_t i = 0; i < some.rows; ++i) covered += stream.uniform() <= q ? 1 : 0;
      }
      found += covered < least || covered > most ? 1 : 0;
    }
    return static_cast<double>(found) / times;
  };
  // By these laws 0.0447 and 0.0336, with four standard deviations: a sum of two is no beta-binomial law.
  CHECK(std::abs(outside(one) - 0.0447) < 0.012);
  CHECK(std::abs(outside(two) - 0.0336) < 0.0102);
  CHECK(outside(few) < 0.05);
  // The Beta law of one class where points are many, and the binomial one where rows that calibrate are.
  const auto [low, high] = expected_covered(level, Sides::both, std::vector<NewPoints>{{1'000'000, 9}});
  CHECK(static_cast<double>(low) / 1e6 == near(std::pow(0.025, 1.0 / 9.0), 1e-5));
  CHECK(static_cast<double>(high) / 1e6 == near(std::pow(0.975, 1.0 / 9.0), 1e-5));
  const auto [fewest, most] = expected_covered(level, Sides::both, std::vector<NewPoints>{{100, 99'999'999}});
  CHECK((fewest == 84 && most == 95));
  CHECK(expected_covered(level, Sides::both, std::vector<NewPoints>{{7, 8}}) ==
        std::pair<std::size_t, std::size_t>(7, 7));
}
