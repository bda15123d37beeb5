#include "lacp/base/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lacp {
namespace {

double number(std::size_t count) { return static_cast<double>(count); }

/// Of layers, from the first to the last.
SettingCheck check_widths(const std::vector<std::size_t>& hidden) {
  SettingCheck check;
  for (const std::size_t width : hidden) check.number("hidden", number(width), Range{1, 100000});
  return check;
}

}  // namespace

std::optional<SettingProblem> find_problem(const KnnOptions& knn) {
  SettingCheck check;
  check.that("grid", !knn.grid.empty(), "found an empty list; expected at least one number");
  for (const std::size_t k : knn.grid) check.number("grid", number(k), from_one);
  return check
      .that("grid", std::ranges::adjacent_find(knn.grid, std::ranges::greater_equal{}) == knn.grid.end(),
            "expected increasing values of K")
      .number("folds", number(knn.folds), Range{2, 1000})
      .problem();
}

std::optional<SettingProblem> find_problem(const BoostedOptions& boosted) {
  return SettingCheck()
      .number("rounds", number(boosted.rounds), Range{1, 100000})
      .number("learning_rate", boosted.learning_rate, positive)
      .number("learning_rate", boosted.learning_rate, Range{0, 1})
      .number("leaves", number(boosted.leaves), Range{2, 65536})
      .number("least_rows", number(boosted.least_rows), Range{1, 1e9})
      .number("bins", number(boosted.bins), Range{2, 255})
      .number("validation_share", boosted.validation_share, Range{0, 0.9})
      .number("patience", number(boosted.patience), from_one)
      .problem();
}

std::optional<SettingProblem> find_problem(const AdamOptions& adam) {
  return SettingCheck()
      .number("learning_rate", adam.learning_rate, positive)
      .number("beta1", adam.beta1, share)
      .number("beta2", adam.beta2, share)
      .number("epsilon", adam.epsilon, positive)
      .problem();
}

std::optional<SettingProblem> find_problem(const MlpRegressorOptions& mlp) {
  return check_widths(mlp.hidden)
      .part("adam", find_problem(mlp.adam))
      .number("epochs", number(mlp.epochs), Range{1, 1000000})
      .number("batch", number(mlp.batch), Range{1, 1000000})
      .number("validation_share", mlp.validation_share, share)
      .number("patience", number(mlp.patience), from_one)
      .problem();
}

std::optional<SettingProblem> find_problem(const CentreOptions& centre) {
  return SettingCheck()
      .part("knn", find_problem(centre.knn))
      .part("mlp", find_problem(centre.mlp))
      .part("boosted", find_problem(centre.boosted))
      .problem();
}

std::optional<SettingProblem> find_problem(const SplitOptions& split) {
  const double sum = split.proper + split.train + split.test;
  return SettingCheck()
      .number("proper", split.proper, share)
      .number("train", split.train, share)
      .number("test", split.test, share)
      .that("test", std::abs(sum - 1.0) <= 1e-9,
            fmt::format("the three shares add up to {}; expected 1", sum))
      .problem();
}

namespace {

std::optional<SettingProblem> find_problem(const SelectionOptions& selection) {
  return SettingCheck()
      .number("validation_share", selection.validation_share, share)
      .number("patience", number(selection.patience), from_one)
      .number("least_gain", selection.least_gain, Range{0.0, 0.99})
      .number("released.decimals", selection.released.decimals, Range{-1, 15})
      .that("levels", selection.criterion == Criterion::size || !selection.levels.empty(),
            "found none; expected at least one for the criterion winkler")
      .problem();
}

}  // namespace

std::optional<SettingProblem> find_problem(const TransformationOptions& transformation) {
  return SettingCheck()
      .number("gamma", transformation.gamma, positive)
      .number("released.log_offset", transformation.released.log_offset, not_negative)
      .number("released.logit_clamp", transformation.released.logit_clamp, Range{0.0, 0.49})
      .problem();
}

std::optional<SettingProblem> find_problem(const NetworkOptions& network) {
  return check_widths(network.hidden).problem();
}

std::optional<SettingProblem> find_problem(const TrainingOptions& training) {
  return SettingCheck()
      .part("adam", find_problem(training.adam))
      .number("epochs", number(training.epochs), Range{1, 1000000})
      .number("batch", number(training.batch), Range{2, 1000000})
      .number("objective.adaptation", training.objective.adaptation, share_or_all)
      .part("selection", find_problem(training.selection))
      .problem();
}

std::optional<SettingProblem> find_problem(const RowOptions& rows) {
  return SettingCheck()
      .number("knn_error.neighbours", number(rows.knn_error.neighbours), Range{1, 1000000})
      .number("knn_error.beta", rows.knn_error.beta, positive)
      .number("mondrian.bins", number(rows.mondrian.bins), Range{1, 1000000})
      .problem();
}

TrainingOptions training_for(Learning learning, TrainingOptions training) {
  if (learning != Learning::adaptation) return training;
  training.objective.kind = Objective::adaptation;
  training.selection.criterion = Criterion::winkler;
  return training;
}

}  // namespace lacp
