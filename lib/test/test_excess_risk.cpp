#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "lacp/conformal/metrics.hpp"
#include "near.hpp"

using namespace lacp;

namespace {

constexpr arma::uword points = 4000;
constexpr double alpha = 0.1;

/// P(|σ Z| ≤ q) for a standard normal Z.
double coverage(double q, double sigma) { return std::erf(q / sigma / std::numbers::sqrt2); }

/// Noise whose spread grows eightfold with the first attribute; the second says nothing.
double sigma_at(double x) { return 0.25 + 1.75 * x; }

arma::mat attributes(Stream& stream) {
  arma::mat X(2, points);
  for (double& x : X) x = stream.uniform();
  return X;
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

TEST_CASE("excess risk: nothing to find where every x is covered alike") {
  double sum = 0.0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    Stream stream(seed), folds(10 + seed);
    const arma::mat X = attributes(stream);
    arma::vec covered(points);
    for (double& c : covered) c = stream.uniform() < 1.0 - alpha ? 1.0 : 0.0;
    const ExcessRisk risk = excess_risk(X, covered, alpha, folds);
    CHECK(std::abs(risk.value) < 3.0 * risk.error);
    CHECK(risk.value < 0.001);
    sum += risk.value;
  }
  // What trees find in noise makes them worse than the constant: the sign is kept, or a mean over runs would
  // be too large.
  CHECK(sum < 0.0);
}

TEST_CASE("excess risk: one width for noise that depends on x, near the known truth E (p(x) − (1 − α))²") {
  double q = 0.0;  // covers 1 − α on average
  while (mean_over_x([&](double x) { return coverage(q, sigma_at(x)); }) < 1.0 - alpha) q += 0.001;
  const double truth = mean_over_x([&](double x) {
    const double excess = coverage(q, sigma_at(x)) - (1.0 - alpha);
    return excess * excess;
  });
  CHECK(truth > 0.01);
  for (const std::uint64_t seed : {1, 2, 3}) {
    Stream stream(seed), folds(10 + seed);
    const arma::mat X = attributes(stream);
    arma::vec covered(points);
    for (arma::uword i = 0; i < points; ++i)
      covered(i) = std::abs(sigma_at(X(0, i)) * stream.normal()) <= q ? 1.0 : 0.0;
    const ExcessRisk risk = excess_risk(X, covered, alpha, folds);
    INFO(risk.value << " ± " << risk.error << ", truth " << truth);
    CHECK(risk.value > 5.0 * risk.error);
    // Trees of 3200 points are a little worse than the truth: they miss at most a quarter of it.
    CHECK(risk.value < truth + 3.0 * risk.error);
    CHECK(risk.value > 0.75 * truth - 3.0 * risk.error);
  }
}

TEST_CASE("excess risk of constant coverage off its target: the squared distance") {
  Stream stream(1), folds(2);
  const arma::mat X = attributes(stream);
  const ExcessRisk risk = excess_risk(X, arma::ones(points), alpha, folds);
  CHECK(risk.value == near(alpha * alpha, 1e-9));
  CHECK(risk.error == near(0.0, 1e-9));
}

TEST_CASE("excess risk: the same stream gives the same bits; too few points give no number") {
  Stream stream(1), first(2), second(2);
  const arma::mat X = attributes(stream);
  arma::vec covered(points);
  for (double& c : covered) c = stream.uniform() < 0.8 ? 1.0 : 0.0;
  CHECK(excess_risk(X, covered, alpha, first).value == excess_risk(X, covered, alpha, second).value);
  CHECK(std::isnan(excess_risk(X.head_cols(49), covered.head(49), alpha, first).value));
}

TEST_CASE("ert is among the metrics where there is a stream for its folds, and changes no other") {
  Stream stream(1);
  ScoredIntervals intervals{.X = attributes(stream),
                            .f = arma::zeros(points),
                            .y = arma::vec(points),
                            .bounds = Bounds::symmetric(arma::vec(points).fill(1.5)),
                            .rank_width = {},
                            .local_error = arma::vec(points)};
  for (arma::uword i = 0; i < points; ++i) {
    intervals.local_error(i) = sigma_at(intervals.X(0, i));
    intervals.y(i) = intervals.local_error(i) * stream.normal();
  }
  Stream slabs(3), same_slabs(3), folds(4);
  const auto without = measure(intervals, Level::parse("0.1"), slabs);
  const auto with = measure(intervals, Level::parse("0.1"), same_slabs, &folds);
  REQUIRE(with.size() == without.size() + 2);
  for (std::size_t i = 0; i < without.size(); ++i) CHECK(with[i].value == without[i].value);
  CHECK(with[without.size()].metric == "ert");
  CHECK(with[without.size()].value > 0.01);
  CHECK(with.back().metric == "ert_error");
}
