#pragma once

#include <cstddef>
#include <utility>

#include "lacp/base/options.hpp"

// The coverage that a finite number of calibration rows lets one expect.
namespace lacp {

/// The range in which the coverage of nine predictors of ten lies that n exchangeable points calibrate: that
/// of the k-th of n scores is Beta(k, n + 1 − k), with a quantile for each side Beta(2k − n − 1, 2(n + 1 −
/// k)). (1, 1) if the intervals are infinite.
std::pair<double, double> expected_coverage(const Level& level, Sides sides, std::size_t n);

/// The range in which the share of `rows` new points, more than one, lies that are covered, but for one
/// predictor and table of 200 at either end. The number of points is beta-binomial; the quantiles are those
/// of the Beta distribution with the same mean and variance, so that fewer lie below where points are few.
std::pair<double, double> expected_share(const Level& level, Sides sides, std::size_t n, std::size_t rows);

}  // namespace lacp
