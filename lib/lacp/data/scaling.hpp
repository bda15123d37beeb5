#pragma once

#include <armadillo>
#include <string>
#include <vector>

namespace lacp {

/// Standardises attributes and divides targets by their mean absolute value; fitted on one part, applied to
/// all. A constant attribute becomes zero. Sizes of intervals are then in units of mean|y|.
struct Scaling {
  arma::vec mean;       ///< of each attribute
  arma::vec deviation;  ///< population standard deviation of each attribute; 1 where it is zero
  double target = 1.0;  ///< mean |y|; 1 if all targets are zero, as a part of mostly zero targets may be

  static Scaling fit(const arma::mat& X, const arma::vec& y);

  arma::mat attributes(const arma::mat& X) const;
  arma::vec targets(const arma::vec& y) const;
};

/// The mean of each attribute over the observations in which it is known (not NaN). UserError, with the
/// attribute's name, if it is known in none of them.
arma::vec known_means(const arma::mat& X, const std::vector<std::string>& attributes);

/// Puts the attribute's mean wherever a cell is NaN. The means have to come from the part that fits the
/// predictor, or the other parts would leak into it.
void fill_missing(arma::mat& X, const arma::vec& means);

}  // namespace lacp
