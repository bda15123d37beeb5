#pragma once

#include <armadillo>
#include <functional>
#include <vector>

#include "lacp/base/groups.hpp"
#include "models/trees/boosting.hpp"

namespace lacp {

/// Some rows of a table, and the others, both in their order.
struct HeldOut {
  HeldOut(std::size_t rows, std::span<const std::size_t> some) {
    std::vector<bool> is_held(rows, false);
    for (const std::size_t row : some) is_held[row] = true;
    for (std::size_t row = 0; row < rows; ++row)
      (is_held[row] ? held : fitted).push_back(static_cast<std::uint32_t>(row));
  }
  /// Those from `begin` to `end`.
  HeldOut(std::size_t rows, std::size_t begin, std::size_t end) {
    for (std::size_t row = 0; row < rows; ++row)
      (begin <= row && row < end ? held : fitted).push_back(static_cast<std::uint32_t>(row));
  }
  std::vector<std::uint32_t> held, fitted;
};

/// Gradient-boosted regression trees (Friedman, 2001), grown from histograms as in LightGBM and
/// scikit-learn's HistGradientBoostingRegressor: f(x) = base + Σ of the leaves in which x lies. Sums of
/// residuals are exact: without a held-out part the trees do not depend on the order of the rows.
class BoostedTrees {
 public:
  /// By squared loss. With a held-out part of whole groups the number of rounds is the one with the smallest
  /// error there, and the trees are then grown again on all rows. UserError for numbers that are not finite.
  static BoostedTrees fit(const arma::mat& X, const arma::vec& y, const BoostedOptions& options,
                          Stream& stream, const Groups& groups = {});

  /// As grown or stored. std::invalid_argument as CodedTrees, or if the base is not finite.
  BoostedTrees(std::size_t attributes, Boosting boosting);

  /// f(x) for each column of X, all of whose numbers are finite: else UserError.
  arma::vec predict(const arma::mat& X) const;

  double base() const { return base_; }
  const std::vector<std::vector<TreeNode>>& trees() const { return trees_; }

 private:
  std::size_t attributes_;
  double base_;
  std::vector<std::vector<TreeNode>> trees_;
  CodedTrees coded_;
};

/// UserError unless options can be used, and all numbers are finite and as many as they have to be.
void require_table(const arma::mat& X, const arma::vec& y, const BoostedOptions& options);

/// Up to this many rows leaves of 2 rows are tried, too, and candidates are grown to their end.
constexpr std::size_t few_rows_to_boost = 5000;
/// Up to this many trees have 8 leaves at most, and twice the rate.
constexpr std::size_t few_rows_for_small_trees = 1500;

/// A boosting by squared loss without the rows of each fold, and what it predicts for these, fold after fold.
/// All have the same number of rounds, and leaves of 20 or fewer rows, by the least loss of all together. The
/// same on however many threads. The table is such as require_table asks for.
struct FoldsOfTrees {
  std::vector<BoostedTrees> folds;
  arma::vec out;
};
FoldsOfTrees boost_folds(const arma::mat& X, const arma::vec& y, const BinnedAttributes& bins,
                         const std::vector<HeldOut>& folds, BoostedOptions options, std::uint64_t seed,
                         std::size_t jobs);

}  // namespace lacp
