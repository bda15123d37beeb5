#include "common/coverage.hpp"

#include <algorithm>
#include <vector>

#include "common/beta.hpp"

namespace lacp {
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
