#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lacp/model/boosted_tree.hpp"

namespace lacp {

/// What boosting minimises, in the scheme of Friedman (2001): a tree is grown for pseudo-residuals, the
/// slopes of the loss, and each of its leaves takes the value that is best for its own rows. An objective
/// knows the targets of all rows of a table and their outputs so far, of which a row may have several.
///
/// Pseudo-residuals are whole numbers, so that their sums are exact in any order.
class BoostedObjective {
 public:
  virtual ~BoostedObjective() = default;

  virtual std::size_t outputs() const { return 1; }
  virtual std::unique_ptr<BoostedObjective> copy() const = 0;

  /// Sets the outputs of all rows to the constants that are best for these, and returns them.
  virtual std::vector<double> start(TableRows fitted) = 0;

  /// Pseudo-residuals of these rows, in their places of the table.
  virtual std::span<const std::int64_t> residuals(TableRows fitted) = 0;

  /// What is to be added to each output in the leaf, at the learning rate.
  virtual void leaf_values(const GrownLeaf& leaf, double* values) = 0;

  /// Adds it to the outputs of these rows.
  virtual void add(TableRows rows, const double* values) = 0;

  /// The loss of one output on these rows.
  virtual double loss(TableRows rows, std::size_t output) const = 0;

  /// What was added up, in the unit of the targets: a base, and a value of a leaf.
  virtual double final_base(double base) const { return base; }
  virtual double final_value(double value) const { return value; }
};

/// (y − F)², with targets as whole numbers: y = centre + unit·Y, unit a power of two. |Y| ≤ 2^51, so that
/// leaves are exact doubles, and n·|Y| ≤ 2^60, so that all sums fit: a round never raises Σ r² but by the
/// rounding of its steps, and |Σ r| over any rows is at most √(n·Σ r²), so that n·max |r| of the beginning,
/// at most 2^61, bounds it for ever. Outputs are in that unit, from the centre.
class SquaredObjective : public BoostedObjective {
 public:
  SquaredObjective(const arma::vec& y, double learning_rate);

  std::unique_ptr<BoostedObjective> copy() const override {
    return std::make_unique<SquaredObjective>(*this);
  }
  std::vector<double> start(TableRows fitted) override;
  std::span<const std::int64_t> residuals(TableRows) override { return residuals_; }
  void leaf_values(const GrownLeaf& leaf, double* values) override;
  void add(TableRows rows, const double* values) override;
  double loss(TableRows rows, std::size_t output) const override;

  double final_base(double base) const override { return centre_ + final_value(base); }
  double final_value(double value) const override;

 private:
  double centre_, learning_rate_;
  int exponent_;
  std::vector<std::int64_t> targets_, residuals_;
};

/// Errors e ≥ 0 with a scale s = e^F: log s + e/s, the ℓ_1 of objective.hpp and the likelihood of Laplace
/// errors. Its optimum is s(x) = E[e | x]; the slope by F is 1 − e/s, and the best step of a leaf
/// log mean(e/s).
class ScaleObjective : public BoostedObjective {
 public:
  ScaleObjective(arma::vec errors, double learning_rate);

  std::unique_ptr<BoostedObjective> copy() const override { return std::make_unique<ScaleObjective>(*this); }
  std::vector<double> start(TableRows fitted) override;
  std::span<const std::int64_t> residuals(TableRows fitted) override;
  void leaf_values(const GrownLeaf& leaf, double* values) override;
  void add(TableRows rows, const double* values) override;
  double loss(TableRows rows, std::size_t output) const override;

 private:
  arma::vec errors_;
  double learning_rate_, one_;      // one_: e/s = 1 as a whole number
  std::vector<double> F_, ratios_;  // log s and e/s
  std::vector<std::int64_t> residuals_;
};

/// Quantiles τ of y, by the pinball loss (Koenker and Bassett, 1978): several at once, on trees that they
/// share. Their slopes τ − 1[y < F], in units of their deviation √(τ(1 − τ)), are added up, so the quantiles
/// should lie on one side: below the median a row that is too low is too low for most of them. A leaf takes
/// a quantile of its own rows' y − F for each.
class QuantileObjective : public BoostedObjective {
 public:
  /// τ increasing, each within (0, 1).
  QuantileObjective(arma::vec y, std::vector<double> tau, double learning_rate);

  std::size_t outputs() const override { return tau_.size(); }
  std::unique_ptr<BoostedObjective> copy() const override {
    return std::make_unique<QuantileObjective>(*this);
  }
  std::vector<double> start(TableRows fitted) override;
  std::span<const std::int64_t> residuals(TableRows fitted) override;
  void leaf_values(const GrownLeaf& leaf, double* values) override;
  void add(TableRows rows, const double* values) override;
  double loss(TableRows rows, std::size_t output) const override;

 private:
  arma::vec y_;
  std::vector<double> tau_;
  double learning_rate_;
  std::vector<std::int64_t> below_, above_;  // slopes of each quantile where y < F, and elsewhere
  std::vector<double> F_, work_;             // F_: the outputs of a row after those of the row before
  std::vector<std::int64_t> residuals_;
};

}  // namespace lacp
