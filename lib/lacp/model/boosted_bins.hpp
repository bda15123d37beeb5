#pragma once

#include <armadillo>
#include <cstdint>
#include <span>
#include <vector>

namespace lacp {

/// Places of rows in a table, in any order.
using TableRows = std::span<const std::uint32_t>;

/// Their columns.
inline arma::mat columns_of(const arma::mat& X, TableRows rows) {
  arma::mat some(X.n_rows, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) some.col(i) = X.col(rows[i]);
  return some;
}

/// Attributes in bins: what is left of their values is which cuts they exceed.
struct BinnedAttributes {
  std::size_t rows = 0;
  std::vector<std::vector<double>> cuts;  ///< of each attribute, increasing; none if it is constant
  std::vector<std::uint8_t> codes;        ///< number of cuts below the value; attribute after attribute

  const std::uint8_t* of(std::size_t attribute) const { return codes.data() + attribute * rows; }
};

/// At most `bins` ≤ 255 bins for each attribute, a row of X. Where an attribute has no more different values
/// than that among the table's rows `of`, a cut lies between any two; else the cuts are the quantiles j/bins
/// of these values. All columns of X are coded.
BinnedAttributes make_bins(const arma::mat& X, std::size_t bins, TableRows of);
BinnedAttributes make_bins(const arma::mat& X, std::size_t bins);  ///< of all rows

/// The attributes of both, which have the same rows.
BinnedAttributes joined(BinnedAttributes first, const BinnedAttributes& second);

}  // namespace lacp
