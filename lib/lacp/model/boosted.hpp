#pragma once

#include <armadillo>
#include <vector>

#include "lacp/base/random.hpp"
#include "lacp/model/boosted_tree.hpp"
#include "lacp/model/options.hpp"

namespace lacp {

/// Gradient-boosted regression trees with squared loss (Friedman, 2001), grown from histograms as in LightGBM
/// and scikit-learn's HistGradientBoostingRegressor: f(x) = base + Σ of the leaves in which x lies.
///
/// Targets are turned into whole numbers of a unit, a power of two so small that the sums of all rows just
/// stay below 2^62. Residuals remain whole numbers, so every sum is exact: without a held-out part the trees
/// do not depend on the order of the rows. Threads may predict at the same time.
class BoostedTrees {
 public:
  /// With a held-out part, drawn by the stream, the number of rounds is the one with the smallest error
  /// there, and the trees are then grown again on all rows. UserError for numbers that are not finite.
  static BoostedTrees fit(const arma::mat& X, const arma::vec& y, const BoostedOptions& options,
                          Stream& stream);

  /// A model as it was stored. std::invalid_argument if a tree is empty, names an attribute from
  /// `attributes` on or a child that is not behind its parent, or if a number is not finite.
  BoostedTrees(std::size_t attributes, double base, std::vector<std::vector<TreeNode>> trees);

  /// f(x) for each column of X, all of whose numbers are finite: else UserError.
  arma::vec predict(const arma::mat& X) const;

  std::size_t attributes() const { return attributes_; }
  double base() const { return base_; }
  const std::vector<std::vector<TreeNode>>& trees() const { return trees_; }

 private:
  std::size_t attributes_;
  double base_;
  std::vector<std::vector<TreeNode>> trees_;
};

}  // namespace lacp
