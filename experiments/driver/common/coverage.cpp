#include "common/coverage.hpp"

#include <algorithm>

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

}  // namespace

std::pair<double, double> expected_coverage(const Level& level, Sides sides, std::size_t n) {
  const double outside = ranks_outside(level, sides, n);
  if (outside == 0.0) return {1.0, 1.0};
  return beta_range(static_cast<double>(n + 1) - outside, outside, 0.05);
}

std::pair<double, double> expected_share(const Level& level, Sides sides, std::size_t n, std::size_t rows) {
  const double outside = ranks_outside(level, sides, n), ranks = static_cast<double>(n + 1),
               drawn = static_cast<double>(rows);
  if (outside == 0.0) return {1.0, 1.0};
  const double both = drawn * (ranks + 1.0) / (drawn + ranks) - 1.0;  // a + b of that Beta(a, b)
  return beta_range(both * (1.0 - outside / ranks), both * outside / ranks, 0.005);
}

}  // namespace lacp
