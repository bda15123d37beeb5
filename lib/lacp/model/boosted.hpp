#pragma once

#include <armadillo>
#include <vector>

#include "lacp/base/options.hpp"
#include "lacp/base/random.hpp"
#include "lacp/model/boosted_objective.hpp"

namespace lacp {

/// A tree with several outputs: the number of a leaf is its node's `attribute`.
struct OutputTree {
  std::vector<TreeNode> nodes;
  std::vector<double> values;  ///< all outputs of each leaf
};

/// F(x) = base + Σ of the leaves in which x lies, for each output.
struct Boosting {
  std::vector<double> base;
  std::vector<OutputTree> trees;
  std::vector<double> held_losses = {};  ///< of the first output: of the base alone, then after each round
};

/// The rows of a fold, which lies between its start and the next, and those of the others.
struct HeldOut {
  HeldOut(const std::vector<std::size_t>& starts, std::size_t fold);
  std::vector<std::uint32_t> held, fitted;
};

/// Grows options.rounds trees, or as many as there is anything to split, on these rows of a table. If others
/// are held out, with attributes X_held, each output ends after the round in which its loss there is
/// smallest, and rounds end when none has gained for options.patience.
Boosting boost(const BinnedAttributes& bins, TableRows fitted, TableRows held, const arma::mat& X_held,
               const BoostedOptions& options, BoostedObjective& objective);

/// Gradient-boosted regression trees (Friedman, 2001), grown from histograms as in LightGBM and
/// scikit-learn's HistGradientBoostingRegressor: f(x) = base + Σ of the leaves in which x lies. Sums of
/// residuals are exact: without a held-out part the trees do not depend on the order of the rows. Threads may
/// predict at the same time.
class BoostedTrees {
 public:
  /// By squared loss. With a held-out part, drawn by the stream, the number of rounds is the one with the
  /// smallest error there, and the trees are then grown again on all rows. UserError for numbers that are not
  /// finite.
  static BoostedTrees fit(const arma::mat& X, const arma::vec& y, const BoostedOptions& options,
                          Stream& stream);

  /// A model as it was stored. std::invalid_argument if a tree is empty, names an attribute from
  /// `attributes` on or a child that is not behind its parent, or if a number is not finite.
  BoostedTrees(std::size_t attributes, double base, std::vector<std::vector<TreeNode>> trees);

  /// Of one output.
  BoostedTrees(std::size_t attributes, const Boosting& boosting);

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

/// Trees of all rows of a table, and F of each row by trees that have not seen it.
struct CrossBoosted {
  BoostedTrees trees;
  arma::vec out;
};

/// Up to this many rows all folds together choose.
constexpr std::size_t few_rows_to_boost = 5000;

/// How `boost_folds` finds the number of rounds.
enum class RoundsBy {
  last_fold,  ///< as `boost` does with this fold held out
  few_rows,  ///< where rows are few, by the sum over all folds, for smaller and smaller leaves; else the last
};

/// One boosting of all rows, and one without each fold, from a start to the next; all have the same number of
/// rounds. The objective has one output. The same trees on however many threads.
CrossBoosted boost_folds(const BinnedAttributes& bins, const arma::mat& X,
                         const std::vector<std::size_t>& starts, BoostedOptions options,
                         const BoostedObjective& objective, RoundsBy by, std::size_t jobs);

/// The same by squared loss; what is thrown is as in BoostedTrees::fit.
CrossBoosted boost_folds(const arma::mat& X, const arma::vec& y, const std::vector<std::size_t>& starts,
                         const BoostedOptions& options, std::size_t jobs);

/// With more rows than this, errors of half as many are enough to learn from, and folds are not worth their
/// time.
constexpr std::size_t many_rows_to_boost = 200'000;

/// Trees of the rows before `begin`; the others choose the number of rounds, and are predicted.
CrossBoosted boost_before(const arma::mat& X, const arma::vec& y, std::size_t begin,
                          const BoostedOptions& options);

/// Trees with several outputs: quantiles, for example. Threads may predict at the same time.
class BoostedOutputs {
 public:
  /// std::invalid_argument if these are no trees of this many attributes; see BoostedTrees.
  BoostedOutputs(std::size_t attributes, Boosting boosting);

  /// Outputs × columns of X, all of whose numbers are finite: else UserError.
  arma::mat predict(const arma::mat& X) const;

  std::size_t attributes() const { return attributes_; }
  std::size_t outputs() const { return boosting_.base.size(); }
  const Boosting& boosting() const { return boosting_; }

 private:
  std::size_t attributes_;
  Boosting boosting_;
};

}  // namespace lacp
