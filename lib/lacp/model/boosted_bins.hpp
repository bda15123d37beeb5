#pragma once

#include <armadillo>
#include <cstdint>
#include <vector>

namespace lacp {

/// Attributes in bins: what is left of their values is which cuts they exceed.
struct BinnedAttributes {
  std::size_t rows = 0;
  std::vector<std::vector<double>> cuts;  ///< of each attribute, increasing; none if it is constant
  std::vector<std::uint8_t> codes;        ///< number of cuts below the value; attribute after attribute

  const std::uint8_t* of(std::size_t attribute) const { return codes.data() + attribute * rows; }
};

/// At most `bins` ≤ 255 bins for each row of X. Where an attribute has no more different values than that, a
/// cut lies between any two; else the cuts are the quantiles j/bins of its values.
BinnedAttributes make_bins(const arma::mat& X, std::size_t bins);

}  // namespace lacp
