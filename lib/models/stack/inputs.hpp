#pragma once

#include <armadillo>
#include <vector>

namespace lacp {

/// Attributes as a network may see them: each mapped by its ranks among the rows of a fit to the shape of a
/// bell, as logit(rank)/1.8, which has a deviation of about 1. Values far out come close, and those that lie
/// close together come apart. Between knots, which are some of the values of the fit, it is linear; beyond
/// the first and the last it is constant.
struct BellMap {
  struct Knot {
    float at, to;
  };
  static constexpr std::size_t most_knots = 255;  ///< of an attribute; an attribute with fewer values has all

  /// By attributes X (d × n), all of whose numbers are finite, in random order: the first rows are enough.
  static BellMap fit(const arma::mat& X);

  /// Each column of X, whose numbers are finite.
  arma::mat map(arma::mat X) const;

  /// Whether a fit can make such knots: one at least for each attribute, finite, increasing.
  bool sound() const;

  std::vector<std::vector<Knot>> knots;  ///< of each attribute, with `at` increasing
};

}  // namespace lacp
