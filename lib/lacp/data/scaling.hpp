#pragma once

#include <armadillo>

namespace lacp {

/// Standardises attributes and divides targets by their mean absolute value; fitted on one part, applied to
/// all. A constant attribute becomes zero. Sizes of intervals are then in units of mean|y|.
struct Scaling {
  arma::vec mean;       ///< of each attribute
  arma::vec deviation;  ///< population standard deviation of each attribute; 1 where it is zero
  double target = 1.0;  ///< mean |y|

  /// UserError if all targets are zero.
  static Scaling fit(const arma::mat& X, const arma::vec& y);

  arma::mat attributes(const arma::mat& X) const;
  arma::vec targets(const arma::vec& y) const;
};

}  // namespace lacp
