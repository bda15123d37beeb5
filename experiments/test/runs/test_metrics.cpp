// What is measured on intervals, and the excess risk of target coverage.
#include <doctest/doctest.h>

#include <numbers>
#include <tuple>

#include "experiment/metrics.hpp"
#include "near.hpp"

using namespace lacp;

namespace {

double value(const std::vector<MetricValue>& values, std::string_view metric, std::size_t bin = 0) {
  for (const MetricValue& v : values)
    if (v.metric == metric && v.bin == bin) return v.value;
  FAIL("no metric " << metric << " " << bin);
  return 0.0;
}

/// Metrics, their bins and what they are.
void check(const std::vector<MetricValue>& values,
           std::initializer_list<std::tuple<const char*, std::size_t, double>> expected) {
  for (const auto& [metric, bin, number] : expected) {
    const double found = value(values, metric, bin);
    INFO(metric, " ", bin, " ", found);
    CHECK((found == number || found == near(number, 1e-12)));
  }
}

/// Twenty points at f = 0 with errors 1, ..., 20 and the given half-widths; the local error is the error.
std::vector<MetricValue> measured(const arma::vec& half_width, const arma::vec& rank_width = {}) {
  const arma::vec y = arma::regspace(1, 20);
  Stream stream(1);
  return measure({.X = y.t(),
                  .f = arma::zeros(20),
                  .y = y,
                  .bounds = Bounds::symmetric(half_width),
                  .rank_width = rank_width,
                  .local_error = y},
                 Level(0.1), stream);
}

}  // namespace

TEST_CASE("what is measured on twenty points, by hand") {
  const arma::vec same(20, arma::fill::value(18.0)), errors = arma::regspace(1, 20);
  auto values = measured(same);
  check(values, {{"size_mean", 0, 18}, {"size_median", 0, 18}, {"validity", 0, 0.9}, {"infinite", 0, 0.0}});
  check(values, {{"coverage_by_error", 1, 1.0}, {"coverage_by_error", 10, 0.0}, {"size_by_error", 5, 18.0}});
  check(values, {{"size_error_correlation", 0, 0.0}});
  check(values, {{"winkler", 0, 36.0 + (1.0 + 2.0) * 20.0 / 20.0}});  // 2Δ + (2/α)·miss
  values = measured(errors);
  check(values, {{"validity", 0, 1.0}, {"size_error_correlation", 0, 1.0}, {"stratified_coverage", 0, 1.0}});
  check(values, {{"size_by_error", 10, 19.5}});
  arma::vec widths = errors;  // the smallest intervals are never right: the worst quarter
  widths.tail(5) += 100.0, widths.head(5).fill(0.5);
  check(measured(widths), {{"stratified_coverage", 0, 0.0}});
  // Leave-one-out with constant sizes: the points with the largest scores get the lower q̂. They are ranked by
  // the width at one quantile; of the errors 16 to 20 two are covered.
  arma::vec left_out = same;
  left_out.tail(3).fill(17.0);
  CHECK(value(measured(left_out), "size_error_correlation") < -0.5);
  check(measured(left_out, same),
        {{"size_error_correlation", 0, 0.0}, {"size_mean", 0, 17.85}, {"stratified_coverage", 0, 0.4}});
}

TEST_CASE("infinite and empty intervals are counted, never averaged away, and empty ones have no size") {
  const double inf = arma::datum::inf;
  arma::vec widths(20, arma::fill::value(5.0));
  widths(0) = inf, widths(1) = empty_interval;  // errors 1, 3, 4 and 5 are covered
  check(measured(widths), {{"infinite", 0, 0.05}, {"empty", 0, 0.05}, {"validity", 0, 0.2}});
  check(measured(widths), {{"size_mean", 0, inf}, {"winkler", 0, inf}});
  widths.fill(empty_interval);
  widths.tail(8) = arma::regspace(3, 10);  // for errors 13 to 20
  check(measured(widths), {{"empty", 0, 0.6}, {"size_mean", 0, 6.5}, {"size_median", 0, 6.5}});
  check(measured(widths), {{"size_by_error", 10, 9.5}, {"validity", 0, 0.0}});
  check(measured(widths), {{"winkler", 0, (2 * 52.0 + 20.0 * (210 - 52)) / 20.0}});  // an empty one is f
  widths(19) = inf;
  CHECK(mean_size(widths) == inf);
  widths.fill(empty_interval);
  CHECK(std::isnan(value(measured(widths), "size_mean")));
  CHECK(std::isnan(value(measured(widths), "size_median")));
  CHECK(std::isnan(mean_size(arma::vec{1.0, arma::datum::nan})));
}

TEST_CASE("the sides of an interval may be unequal, and the prediction may lie outside") {
  Stream stream(1);
  // [−1, 3], [2, 5] above f = 0, [−5, −2] below it, an empty one and one that is infinite.
  const arma::mat ends = {{1.0, -2.0, 5.0, -1.0, arma::datum::inf}, {3.0, 5.0, -2.0, -1.0, arma::datum::inf}};
  const auto values = [&](const arma::rowvec& y) {
    const arma::uword n = y.n_elem;
    return measure({.X = arma::zeros(1, n),
                    .f = arma::zeros(n),
                    .y = y.t(),
                    .bounds = {ends.row(0).head(n).t(), ends.row(1).head(n).t()},
                    .local_error = arma::abs(y.t())},
                   Level(0.5), stream);
  };
  CHECK(value(values({-1.0, 2.0, -5.0, 0.0, 9.0}), "validity") == 0.8);  // the ends belong to the interval
  CHECK(value(values({3.0, 5.0, -2.0, 0.0, -9.0}), "validity") == 0.8);
  CHECK(value(values({-1.1, 1.9, -5.1, 0.0, 9.0}), "validity") == 0.2);
  CHECK(value(values({3.1, 5.1, -1.9, 0.0, 9.0}), "validity") == 0.2);
  check(values({-2.0, 0.0, 0.0, 4.0, 0.0}),
        {{"size_median", 0, 1.75}, {"empty", 0, 0.2}, {"infinite", 0, 0.2}});  // of 2, 1.5, 1.5 and infinity
  // Without the infinite one: widths 4, 3, 3 and 0, distances outside 1, 2, 2 and 4, times 2/α = 4.
  CHECK(value(values({-2.0, 0.0, 0.0, 4.0}), "winkler") == (10.0 + 4.0 * 9.0) / 4.0);
}

TEST_CASE("the worst slab is found and measured on points that did not choose it") {
  Stream stream(2);
  const std::size_t n = 2000;
  arma::mat X(2, n);
  arma::vec covered(n);
  for (std::size_t i = 0; i < n; ++i) {
    X(0, i) = stream.uniform(-1, 1), X(1, i) = stream.uniform(-1, 1);
    covered(i) = X(0, i) > 0.6 ? (stream.uniform() < 0.3)
                               : (stream.uniform() < 0.95);  // a fifth of the points is badly covered
  }
  CHECK(worst_slab_coverage(X, covered, stream) < 0.45);
  for (double& c : covered) c = stream.uniform() < 0.9;
  CHECK(worst_slab_coverage(X, covered, stream) ==
        near(0.9, 0.09));  // no slab is bad: no artefact; three standard errors of 100 points
}

namespace {

constexpr arma::uword points = 4000;
constexpr double alpha = 0.1;

/// P(|σ Z| ≤ q) for a standard normal Z.
double coverage_at(double q, double sigma) { return std::erf(q / sigma / std::numbers::sqrt2); }

/// Noise whose spread grows eightfold with the first attribute; the second says nothing.
double sigma_at(double x) { return 0.25 + 1.75 * x; }

arma::mat attributes(Stream& stream) {
  arma::mat X(2, points);
  for (double& x : X) x = stream.uniform();
  return X;
}

/// Of points that are covered where `covers` says so, of the first attribute and a stream.
template <class Covers>
ExcessRisk risk_of(std::uint64_t seed, const Covers& covers) {
  Stream stream(seed), folds(10 + seed);
  const arma::mat X = attributes(stream);
  arma::vec covered(points);
  for (arma::uword i = 0; i < points; ++i) covered(i) = covers(X(0, i), stream) ? 1.0 : 0.0;
  return excess_risk(X, covered, alpha, folds);
}

/// Mean of a function of the first attribute.
template <class F>
double mean_over_x(const F& function) {
  constexpr int steps = 10'000;
  double sum = 0.0;
  for (int i = 0; i < steps; ++i) sum += function((i + 0.5) / steps);
  return sum / steps;
}

}  // namespace

TEST_CASE(
    "excess risk: nothing to find where every x is covered alike, or off its target; nor in too few points") {
  double sum = 0.0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const ExcessRisk risk =
        risk_of(seed, [](double, Stream& stream) { return stream.uniform() < 1.0 - alpha; });
    CHECK(std::abs(risk.value) < 3.0 * risk.error);
    CHECK(risk.value < 0.001);
    sum += risk.value;
  }
  // What trees find in noise makes them worse than the constant: the sign is kept, or a mean over runs would
  // be too large.
  CHECK(sum < 0.0);
  const ExcessRisk off = risk_of(1, [](double, Stream&) { return true; });
  CHECK(off.value == near(alpha * alpha, 1e-9));
  CHECK(off.error == near(0.0, 1e-9));
  Stream folds(2);
  CHECK(std::isnan(excess_risk(arma::ones(2, 49), arma::ones(49), alpha, folds).value));
}

TEST_CASE("excess risk: one width for noise that depends on x, near the known truth E (p(x) − (1 − α))²") {
  double q = 0.0;  // covers 1 − α on average
  while (mean_over_x([&](double x) { return coverage_at(q, sigma_at(x)); }) < 1.0 - alpha) q += 0.001;
  const double truth = mean_over_x([&](double x) {
    const double excess = coverage_at(q, sigma_at(x)) - (1.0 - alpha);
    return excess * excess;
  });
  CHECK(truth > 0.01);
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const ExcessRisk risk =
        risk_of(seed, [q](double x, Stream& stream) { return std::abs(sigma_at(x) * stream.normal()) <= q; });
    INFO(risk.value << " ± " << risk.error << ", truth " << truth);
    CHECK(risk.value > 5.0 * risk.error);
    // Trees of 3200 points are a little worse than the truth: they miss at most a quarter of it.
    CHECK(risk.value < truth + 3.0 * risk.error);
    CHECK(risk.value > 0.75 * truth - 3.0 * risk.error);
  }
}

TEST_CASE("ert is among the metrics where there is a stream for its folds, and changes no other") {
  const arma::vec y = arma::regspace(1, 100);
  const ScoredIntervals intervals{.X = y.t(),
                                  .f = arma::zeros(100),
                                  .y = y,
                                  .bounds = Bounds::symmetric(arma::vec(100).fill(90.0)),
                                  .rank_width = {},
                                  .local_error = y};
  Stream slabs(3), same_slabs(3), folds(4);
  const auto without = measure(intervals, Level(0.1), slabs);
  const auto with = measure(intervals, Level(0.1), same_slabs, &folds);
  REQUIRE(with.size() == without.size() + 2);
  for (std::size_t i = 0; i < without.size(); ++i) CHECK(with[i].value == without[i].value);
  CHECK(value(with, "ert") > 0.01);
}
