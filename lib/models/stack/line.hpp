#pragma once

#include <armadillo>
#include <vector>

#include "models/trees/boosted.hpp"

namespace lacp {

/// A line f(x) = constant + Σ slope · x, fitted by ridge regression (Hoerl and Kennard, 1970) on scaled
/// attributes.
struct Line {
  double constant = 0.0;
  arma::vec slopes;

  /// f(x) for each column of X.
  arma::vec predict(const arma::mat& X) const;
};

/// What lines without the rows of each fold predict for these, fold after fold, and the mean of these lines.
struct FoldLines {
  Line mean;
  arma::vec out;  ///< empty: there is no line
};

/// All lines have the penalty whose predictions have the least squared error. With more attributes than rows
/// the dual is solved. None where this would take longer than everything else in a stack.
FoldLines fit_lines(const arma::mat& X, const arma::vec& y, const std::vector<HeldOut>& folds,
                    std::size_t jobs);

}  // namespace lacp
