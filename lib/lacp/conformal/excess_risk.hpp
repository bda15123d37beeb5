#pragma once

#include <armadillo>

#include "lacp/base/random.hpp"

namespace lacp {

/// Excess risk of target coverage (Braun et al., 2025, arXiv:2512.11779), with the Brier score: how much
/// better than the constant 1 − α a classifier predicts from x whether a point is covered.
struct ExcessRisk {
  double value =
      0.0;  ///< mean Brier score of 1 − α minus that of the classifier; may be below 0
  double error = 0.0;  ///< standard error of that mean over the points
};

/// With the best classifier this is E (P(covered | x) − (1 − α))²: 0 exactly where coverage is 1 − α at
/// every x. Ours is small boosted trees with squared loss, fitted on four fifths of the points and measured
/// on the other fifth, in turn, so that the value is a lower bound but for noise. It keeps its sign: cut at
/// 0, a mean over runs would be too large where there is nothing to find. The stream draws the fifths.
/// `covered`: 1 or 0 for each column of X. NaN with fewer than 50 points, too few to learn from.
ExcessRisk excess_risk(const arma::mat& X, const arma::vec& covered, double alpha, Stream& stream);

}  // namespace lacp
