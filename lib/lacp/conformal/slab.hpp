#pragma once

#include <armadillo>

#include "lacp/base/random.hpp"

namespace lacp {

/// Worst-slab coverage (Cauchois, Gupta and Duchi, 2021): the lowest coverage over slabs {x : a ≤ vᵀx ≤ b}
/// that hold at least a tenth of the points, v over random directions. As in Romano, Sesia and Candès (2020),
/// the worst slab is chosen on one random half and its coverage measured on the other, so that the minimum is
/// not an artefact of noise.
double worst_slab_coverage(const arma::mat& X, const arma::vec& covered, Stream& stream);

}  // namespace lacp
