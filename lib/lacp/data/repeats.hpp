#pragma once

#include <armadillo>
#include <vector>

namespace lacp {

/// Rows that occur more than once, attributes and target alike.
struct Repeats {
  std::vector<arma::uword> copies;  ///< the rows that are equal to an earlier one, in order
  /// Whether equal rows are to be expected where a table has so few values: there are fewer than a hundred
  /// different rows, or at least half of the attributes that occur again do so with other targets. Else they
  /// are copies of one observation, which tell nothing new, and would make a calibration row one that the
  /// centre has seen.
  bool by_chance = false;
};

/// Of the columns of X (d × n), with their targets. NaN is equal to NaN.
Repeats find_repeats(const arma::mat& X, const arma::vec& y);

}  // namespace lacp
