#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "lacp/base/options.hpp"

// The coverage that a finite number of calibration rows lets one expect.
namespace lacp {

/// Regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x);

/// The t ≥ 0 where a decreasing function falls to `value`, by bisection to the last bit.
template <class F>
double solve_decreasing(const F& function, double value) {
  double low = 0.0, high = 1.0;
  while (function(high) > value && high < 1e300) high *= 2.0;
  while (true) {
    const double middle = low + (high - low) / 2.0;
    if (middle == low || middle == high) return high;
    (function(middle) > value ? low : high) = middle;
  }
}

/// The range in which the coverage of nine predictors of ten lies that n exchangeable points calibrate: that
/// of the k-th of n scores is Beta(k, n + 1 − k), with a quantile for each side Beta(2k − n − 1, 2(n + 1 −
/// k)). (1, 1) if the intervals are infinite. Another `tail` than 0.05 leaves out that share at either end.
std::pair<double, double> expected_coverage(const Level& level, Sides sides, std::size_t n,
                                            double tail = 0.05);

/// The range in which the share of `rows` new points, more than one, lies that are covered, but for one
/// predictor and table of 200 at either end. The number of points is beta-binomial; the quantiles are those
/// of the Beta distribution with the same mean and variance, so that fewer lie below where points are few.
std::pair<double, double> expected_share(const Level& level, Sides sides, std::size_t n, std::size_t rows);

/// New points, and how many calibrate them.
struct NewPoints {
  std::size_t rows, calibrating;
};

/// The least and the largest number of new points that are covered, but for one of 40 times at most at either
/// end: their number is beta-binomial. Points that others calibrate are added up; the law of the sum is taken
/// for a beta-binomial one with its mean and, but for differences of these coverages, its variance.
std::pair<std::size_t, std::size_t> expected_covered(const Level& level, Sides sides,
                                                     std::span<const NewPoints> points);

}  // namespace lacp
