#include "common/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lacp/base/math.hpp"

namespace lacp {
namespace {

/// log Γ(x) for x > 0, to a few units in the last place of the larger of it and 1: Γ(x) = Γ(x + k) / (x … (x
/// + k − 1)), and Stirling's series from 10 on.
double log_gamma(double x) {
  double product = 1.0;
  for (; x < 10.0; x += 1.0) product *= x;
  constexpr double half_log_two_pi = 0x1.d67f1c864beb5p-1;
  const double z = 1.0 / (x * x);
  const double series =
      (1.0 / 12 -
       z * (1.0 / 360 -
            z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * (691.0 / 360360 - z / 156)))))) /
      x;
  return (x - 0.5) * math::log(x) - x + half_log_two_pi + series - math::log(product);
}

/// Lentz's method on the continued fraction of I_x(a, b) (DLMF 8.17.22); converges fast for
/// x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300, tolerance = 1e-15;
  const auto away_from_zero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1.0, d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)), fraction = d;
  const auto step = [&](double coefficient) {
    d = 1.0 / away_from_zero(1.0 + coefficient * d);
    c = away_from_zero(1.0 + coefficient / c);
    fraction *= d * c;
    return d * c;
  };
  for (int m = 1; m <= 10'000; ++m) {
    step(m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)));
    const double last = step(-(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)));
    if (std::abs(last - 1.0) < tolerance) break;
  }
  return fraction;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front =
      math::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * math::log(x) + b * math::log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

namespace {

/// Where Beta(`inside`, `outside`) lies but for this share of it at either end.
std::pair<double, double> beta_range(double inside, double outside, double tail) {
  const auto above = [&](double coverage) { return 1.0 - incomplete_beta(inside, outside, coverage); };
  return {solve_decreasing(above, 1.0 - tail), solve_decreasing(above, tail)};
}

/// How many of the n + 1 ranks of a new point lie outside its interval; 0: the interval is infinite.
double ranks_outside(const Level& level, Sides sides, std::size_t n) {
  const std::size_t k = (sides == Sides::each ? level.half() : level).rank(n);
  return static_cast<double>((sides == Sides::each ? 2 : 1) * (n + 1 - std::min(k, n + 1)));
}

/// Numbers of `rows` points, each covered with a probability that is drawn from Beta(a, b), but for a share
/// of at most `tail` at either end. Weights are relative to that of the largest, so that none is too small.
std::pair<std::size_t, std::size_t> beta_binomial_range(double a, double b, std::size_t rows, double tail) {
  constexpr double vanishing = 1e-15;
  const auto m = static_cast<double>(rows);
  const auto next_to_this = [&](double j) { return (m - j) * (j + a) / ((j + 1.0) * (m - j - 1.0 + b)); };
  std::size_t first = std::min(rows, static_cast<std::size_t>(m * a / (a + b))), last = first;
  while (last < rows && next_to_this(static_cast<double>(last)) > 1.0) ++last;
  while (last > 0 && next_to_this(static_cast<double>(last - 1)) < 1.0) --last;
  first = last;
  std::vector<double> below, weights{1.0};
  for (double weight = 1.0; first > 0 && weight > vanishing; --first) {
    weight /= next_to_this(static_cast<double>(first - 1));
    below.push_back(weight);
  }
  for (double weight = 1.0; last < rows && weight > vanishing; ++last) {
    weight *= next_to_this(static_cast<double>(last));
    weights.push_back(weight);
  }
  weights.insert(weights.begin(), below.rbegin(), below.rend());
  double all = 0.0;
  for (const double weight : weights) all += weight;
  const auto drop = [&](auto begin, auto end) {
    std::size_t count = 0;
    double sum = 0.0;
    for (auto at = begin; at != end; ++at, ++count) {
      sum += *at;
      if (sum > tail * all) break;
    }
    return count;
  };
  const std::size_t low = drop(weights.begin(), weights.end()), high = drop(weights.rbegin(), weights.rend());
  return {first + low, last - high};
}

}  // namespace

std::pair<double, double> expected_coverage(const Level& level, Sides sides, std::size_t n, double tail) {
  const double outside = ranks_outside(level, sides, n);
  if (outside == 0.0) return {1.0, 1.0};
  return beta_range(static_cast<double>(n + 1) - outside, outside, tail);
}

std::pair<std::size_t, std::size_t> expected_covered(const Level& level, Sides sides,
                                                     std::span<const NewPoints> points) {
  constexpr double tail = 0.025, least = 1e-9;
  double rows = 0.0, misses = 0.0, pairs = 0.0;
  std::size_t all = 0;
  for (const NewPoints& some : points) {
    const auto m = static_cast<double>(some.rows), ranks = static_cast<double>(some.calibrating + 1);
    all += some.rows;
    rows += m;
    misses += m * ranks_outside(level, sides, some.calibrating) / ranks;
    pairs += m * (m - 1.0) / (ranks + 1.0);  // two points that the same rows calibrate correlate by that
  }
  if (misses == 0.0) return {all, all};
  const double correlation = std::max(least, pairs / std::max(1.0, rows * (rows - 1.0))),
               both = 1.0 / correlation - 1.0;
  return beta_binomial_range(both * (1.0 - misses / rows), both * misses / rows, all, tail);
}

std::pair<double, double> expected_share(const Level& level, Sides sides, std::size_t n, std::size_t rows) {
  const double outside = ranks_outside(level, sides, n), ranks = static_cast<double>(n + 1),
               drawn = static_cast<double>(rows);
  if (outside == 0.0) return {1.0, 1.0};
  const double both = drawn * (ranks + 1.0) / (drawn + ranks) - 1.0;  // a + b of that Beta(a, b)
  return beta_range(both * (1.0 - outside / ranks), both * outside / ranks, 0.005);
}

}  // namespace lacp
