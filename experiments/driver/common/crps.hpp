#pragma once

#include <armadillo>
#include <vector>

#include "lacp/base/level.hpp"

namespace lacp {

/// Quantiles by which distributions are judged: 0.01, 0.02, …, 0.99.
std::vector<Level> percentiles();

/// Infinite quantiles of a column, since few rows calibrate, as the nearest finite one; NaN if there is none.
arma::vec finite_quantiles(arma::vec quantiles);

/// CRPS at y of the distribution with these n quantiles at 1/(n + 1), …, n/(n + 1), which increase: twice
/// their mean pinball loss (Gneiting and Ranjan, 2011).
double crps_score(const arma::vec& quantiles, double y);

}  // namespace lacp
