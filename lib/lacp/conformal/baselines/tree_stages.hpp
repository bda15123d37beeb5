#pragma once

#include <optional>

#include "lacp/base/math.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/conformal/training/fit_localizer.hpp"
#include "lacp/model/boosted.hpp"

/// Centre, scale, shape: intervals in stages, each learnt by boosted trees and stopped by validation rows, so
/// that where rows are few it falls back to the stage before: a scale s(x), learnt from errors out of folds,
/// and both ends as quantiles. tree_choice.cpp has the methods made of them.
namespace lacp {

/// The rows, which are in random order already, lie in five runs. The last one validates; where rows are few,
/// each does in its turn.
constexpr std::size_t last_run = 4;
std::vector<std::size_t> run_starts(std::size_t rows);

/// Smaller leaves where rows are few.
BoostedOptions stage_options(std::size_t rows);

/// s(x) = e^F(x) + floor: trees of the mean error, kept away from 0.
struct ScaleTrees {
  BoostedTrees trees;
  double floor = 0.0;

  /// log s at each column of X.
  arma::vec log_scale(const arma::mat& X) const { return log_of(trees.predict(X)); }
  arma::vec log_of(arma::vec F) const;
};

/// s^θ.
inline arma::vec power_of(arma::vec log_s, double theta) {
  return log_s.transform([&](double value) { return math::exp(theta * value); });
}

struct LearntScale {
  ScaleTrees scale;   ///< of all rows
  arma::vec log_out;  ///< log s of each row by trees that have not seen it
};
LearntScale learn_scale(const BinnedAttributes& bins, const arma::mat& X, const arma::vec& errors,
                        std::size_t jobs);

/// |y − f| / s^θ; intervals f ± q·s^θ.
std::shared_ptr<const FittedScore> scale_score(ScaleTrees scale, double theta);
std::shared_ptr<const FittedScore> read_scale_score(const Method&, ModelReader& in, std::size_t inputs);

/// Quantiles at α/2 and at 1 − α/2 of each level. The two sides have trees of their own: slopes of both would
/// cancel.
struct QuantileTrees {
  BoostedOutputs lower, upper;

  /// In increasing order, a column for each column of A.
  arma::mat at(const arma::mat& A) const;
};

/// A set of them to be learnt, on all rows but those of a run, which say when to stop.
struct QuantileTask {
  const BinnedAttributes& bins;
  const arma::mat& A;
  const arma::vec& targets;
  std::size_t run = last_run;
};

/// Each of them, on at most `jobs` threads.
std::vector<QuantileTrees> learn_quantiles(const std::vector<QuantileTask>& wanted,
                                           std::span<const Level> levels, std::size_t jobs);

/// max((lo − y)/s, (y − hi)/s) with ends lo and hi for each level. `of_z`: ends in units of s, on (f, log s);
/// `of_y`: ends themselves, on (x, f, log s); of both the mean. Without a scale s = 1, and `of_y`, on x, is
/// all there is.
std::shared_ptr<const FittedScore> ends_score(std::vector<Level> levels, std::optional<ScaleTrees> scale,
                                              std::optional<QuantileTrees> of_z,
                                              std::optional<QuantileTrees> of_y);
std::shared_ptr<const FittedScore> read_ends_score(const Method& method, ModelReader& in, std::size_t inputs);

}  // namespace lacp
