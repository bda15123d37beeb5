#pragma once

#include <span>
#include <vector>

#include "lacp/base/options.hpp"
#include "lacp/model/trees/boosted_objective.hpp"

namespace lacp {

/// F(x) = base + Σ of the leaves in which x lies.
struct Boosting {
  double base = 0.0;
  std::vector<std::vector<TreeNode>> trees;
};

/// A boosting that grows tree by tree on the fitted rows of a table, and knows its loss on those held out, in
/// the scheme of Friedman (2001). Rows, bins and objective are kept by reference.
class Booster {
 public:
  Booster(const BinnedAttributes& bins, TableRows fitted, TableRows held, const BoostedOptions& options,
          SquaredObjective& objective, std::size_t jobs = 1);

  /// Up to this many trees; no more where nothing is left to split.
  void grow_to(std::size_t rounds);

  std::size_t rounds() const { return trees_.size(); }
  bool holds_out() const { return !held_.empty(); }

  /// On the rows held out, after this many rounds; where there are fewer, after the last.
  double loss(std::size_t round) const { return losses_[std::min(round, rounds())]; }

  /// The first rounds of what has been grown, which it gives away.
  Boosting cut(std::size_t rounds);

 private:
  TableRows fitted_, held_;
  SquaredObjective& objective_;
  TreeGrower grower_;
  double base_;
  std::vector<double> losses_;  // before the first round, after it, ...
  std::vector<std::vector<TreeNode>> trees_;
  bool ended_ = false;
};

/// Grows all of them round by round, up to options.rounds, until the sum of their losses has not gained for
/// options.patience rounds; where no rows are held out, there is nothing to stop for.
struct ChosenRounds {
  std::size_t rounds = 0;      ///< with the least sum
  std::vector<double> losses;  ///< sums, round by round
};
ChosenRounds grow_together(std::span<Booster* const> all, const BoostedOptions& options, std::size_t jobs);

/// A boosting by itself: as many rounds as that chooses.
Boosting boost(const BinnedAttributes& bins, TableRows fitted, TableRows held, const BoostedOptions& options,
               SquaredObjective& objective, std::size_t jobs = 1);

}  // namespace lacp
