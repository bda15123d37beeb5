#pragma once

#include <armadillo>

#include "lacp/conformal/level.hpp"

namespace lacp {

/// log A = log (f − y)² from |f − y|; −inf where it is zero.
arma::vec log_scores(arma::vec error);

/// The q̂ of split conformal prediction: the rank-th smallest of the calibration scores, +inf if the rank
/// exceeds N. Ties need no care: the interval is closed, so equal scores only raise coverage.
double calibrate(const arma::vec& scores, const Level& level, QuantileRule rule = QuantileRule::ceiling);

/// q̂ for each of n points from the other n − 1 scores, in O(n log n): leaving a point out moves the order
/// statistic by at most one place.
arma::vec leave_one_out(const arma::vec& scores, const Level& level,
                        QuantileRule rule = QuantileRule::ceiling);

}  // namespace lacp
