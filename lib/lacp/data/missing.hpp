#pragma once

#include <armadillo>
#include <string>
#include <vector>

namespace lacp {

/// The mean of each attribute over the observations in which it is known (not NaN). UserError, with the
/// attribute's name, if it is known in none of them.
arma::vec known_means(const arma::mat& X, const std::vector<std::string>& attributes);

/// Puts the attribute's mean wherever a cell is NaN. The means have to come from the part that fits the
/// predictor, or the other parts would leak into it.
void fill_missing(arma::mat& X, const arma::vec& means);

}  // namespace lacp
