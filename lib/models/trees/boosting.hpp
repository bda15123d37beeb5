#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lacp/base/options.hpp"
#include "models/trees/tree_grower.hpp"

namespace lacp {

/// (y − F)² of all rows of a table, and their outputs F so far, with targets as whole numbers, so that sums
/// of residuals are exact in any order: y = centre + unit·Y, unit a power of two. |Y| ≤ 2^51, so that leaves
/// are exact doubles, and n·|Y| ≤ 2^60, so that all sums fit: a round never raises Σ r² but by the rounding
/// of its steps, and |Σ r| over any rows is at most √(n·Σ r²), so that n·max |r| of the beginning, at most
/// 2^61, bounds it for ever. Outputs are in that unit, from the centre.
class SquaredObjective {
 public:
  SquaredObjective(const arma::vec& y, double learning_rate);

  /// Sets the outputs of all rows to the constant that is best for these, and returns it.
  double start(TableRows fitted);

  /// y − F of all rows, in their places of the table.
  std::span<const std::int64_t> residuals() const { return residuals_; }

  /// What is to be added to the output in the leaf, at the learning rate.
  double leaf_value(const GrownLeaf& leaf) const;

  /// Adds it to the outputs of these rows.
  void add(TableRows rows, double value);

  /// The loss on these rows.
  double loss(TableRows rows) const;

  /// What was added up, in the unit of the targets: a base, and a value of a leaf.
  double final_base(double base) const { return centre_ + final_value(base); }
  double final_value(double value) const;

 private:
  double centre_, learning_rate_;
  int exponent_;
  std::vector<std::int64_t> targets_, residuals_;
};

/// F(x) = base + Σ of the leaves in which x lies.
struct Boosting {
  double base = 0.0;
  std::vector<std::vector<TreeNode>> trees;
};

/// A boosting that grows tree by tree on the fitted rows of a table, and knows its loss on those held out, in
/// the scheme of Friedman (2001). Rows and bins are kept by reference.
class Booster {
 public:
  Booster(const BinnedAttributes& bins, TableRows fitted, TableRows held, const BoostedOptions& options,
          SquaredObjective objective, std::size_t jobs = 1, std::uint64_t seed = 0);

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
  SquaredObjective objective_;
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
               const SquaredObjective& objective, std::size_t jobs = 1);

}  // namespace lacp
