#pragma once

#include <armadillo>

#include "lacp/conformal/level.hpp"

namespace lacp {

/// A half-width that stands for an empty interval: q̂ lies below the codomain of φ_x (Section 2.5.4).
inline constexpr double empty_interval = -1.0;

/// Intervals f − below ≤ y ≤ f + above around centres f, which may lie outside. An empty interval has
/// `empty_interval` on both sides, an infinite one +inf.
struct Bounds {
  arma::vec below, above;

  /// f ± half_width.
  static Bounds symmetric(const arma::vec& half_width) { return {half_width, half_width}; }

  /// Half the width of each; `empty_interval` for those with below + above < 0, which hold no y.
  arma::vec half_width() const;
};

/// log A = log (f − y)² from |f − y|; −inf where it is zero.
arma::vec log_scores(arma::vec error);

/// The q̂ of split conformal prediction: the rank-th smallest of the calibration scores, +inf if the rank
/// exceeds N. Ties need no care: the interval is closed, so equal scores only raise coverage.
double calibrate(const arma::vec& scores, const Level& level, QuantileRule rule = QuantileRule::ceiling);

/// The same from scores in increasing order.
double quantile(const arma::vec& sorted, const Level& level, QuantileRule rule = QuantileRule::ceiling);

/// q̂ for each of n points from the other n − 1 scores, in O(n log n): leaving a point out moves the order
/// statistic by at most one place.
arma::vec leave_one_out(const arma::vec& scores, const Level& level,
                        QuantileRule rule = QuantileRule::ceiling);

}  // namespace lacp
