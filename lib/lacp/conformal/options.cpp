#include "lacp/conformal/options.hpp"

namespace lacp {
namespace {

double number(std::size_t count) { return static_cast<double>(count); }

std::optional<SettingProblem> find_problem(const SelectionOptions& selection) {
  return SettingCheck()
      .number("validation_share", selection.validation_share, share)
      .number("patience", number(selection.patience), from_one)
      .number("least_gain", selection.least_gain, Range{0.0, 0.99})
      .number("decimals", selection.decimals, Range{-1, 15})
      .that("levels", selection.criterion == Criterion::size || !selection.levels.empty(),
            "found none; expected at least one for the criterion winkler")
      .problem();
}

}  // namespace

std::optional<SettingProblem> find_problem(const TransformationOptions& transformation) {
  return SettingCheck()
      .number("gamma", transformation.gamma, positive)
      .number("log_offset", transformation.log_offset, not_negative)
      .number("logit_clamp", transformation.logit_clamp, Range{0.0, 0.49})
      .problem();
}

std::optional<SettingProblem> find_problem(const NetworkOptions& network) {
  SettingCheck check;
  for (const std::size_t width : network.hidden) check.number("hidden", number(width), Range{1, 100000});
  return check.problem();
}

std::optional<SettingProblem> find_problem(const TrainingOptions& training) {
  const std::optional<SettingProblem> adam = find_problem(training.adam);
  return SettingCheck()
      .that(adam ? adam->key : "", !adam, adam ? adam->message : "")  // a yaml has these beside the others
      .number("epochs", number(training.epochs), Range{1, 1000000})
      .number("batch", number(training.batch), Range{2, 1000000})
      .number("adaptation", training.objective.adaptation, share_or_all)
      .part("selection", find_problem(training.selection))
      .problem();
}

std::optional<SettingProblem> find_problem(const RowOptions& rows) {
  return SettingCheck()
      .number("knn_error.neighbours", number(rows.knn_error.neighbours), Range{1, 1000000})
      .number("knn_error.beta", rows.knn_error.beta, positive)
      .number("mondrian.bins", number(rows.mondrian.bins), Range{1, 1000000})
      .number("rlcp.bandwidth", rows.rlcp.bandwidth, positive)
      .problem();
}

TrainingOptions training_for(Learning learning, TrainingOptions training) {
  if (learning != Learning::adaptation) return training;
  training.objective.kind = Objective::adaptation;
  training.selection.criterion = Criterion::winkler;
  return training;
}

}  // namespace lacp
