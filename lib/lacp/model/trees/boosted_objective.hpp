#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lacp/model/trees/tree_grower.hpp"

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

}  // namespace lacp
