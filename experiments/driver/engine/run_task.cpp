#include "engine/run_task.hpp"

#include <algorithm>
#include <cmath>

#include "engine/prepare.hpp"
#include "lacp/base/error.hpp"
#include "lacp/conformal/metrics.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/conformal/training/fit_localizer.hpp"

namespace lacp {
namespace {

/// The calibration points among all test points.
Calibration those_of(const Calibration& all, const arma::uvec& points) {
  Calibration some{.scores = {}, .local = columns_of(all.local, points)};
  for (const arma::vec& scores : all.scores) some.scores.push_back(scores.elem(points));
  return some;
}

std::vector<Bounds> intervals_of(const FittedScore& score, const Calibration& calibration,
                                 const Queries& queries, const arma::vec& f, std::span<const Level> levels,
                                 QuantileRule rule) {
  std::vector<Bounds> all = score.intervals(calibration, queries, f, levels, rule);
  for (const Bounds& bounds : all) {
    const arma::vec widths = bounds.half_width();
    if (widths.has_nan())
      run_error("{} of {} intervals are not a number: the trained network gives values without meaning",
                arma::uvec(arma::find_nan(widths)).n_elem, widths.n_elem);
  }
  return all;
}

std::shared_ptr<const FittedScore> fit_method(const Experiment& experiment, const Prepared& prepared,
                                              const Task& task, const std::function<void()>& on_epoch,
                                              std::vector<Measurement>& values) {
  const Method& method = find_method(task.method);
  const bool out_of_folds = experiment.predictor.cross_fit != 0;
  const arma::mat no_points(prepared.X_train.n_rows, 0);
  const arma::vec no_targets;
  const FitResult result = method.fit(
      method, {.X_first = out_of_folds ? no_points : prepared.X_proper,
               .y_first = out_of_folds ? no_targets : prepared.y_proper,
               .X = prepared.X_train,
               .y = prepared.y_train,
               .f = prepared.f_train,
               .levels = fitted_levels(experiment, task),
               .transformation = experiment.transformation,
               .network = experiment.network,
               .training = experiment.training,
               .rows = experiment.rows,
               .stream =
                   [&](std::string_view purpose) {
                     return Stream(StreamName{experiment.seed, task.dataset, task.run, task.method, purpose});
                   },
               .on_epoch =
                   [&](const EpochReport&) {
                     if (on_epoch) on_epoch();
                   }});
  if (result.failure) run_error("{}", result.failure->what());
  values.push_back({"best_epoch", "", 0, static_cast<double>(result.best_epoch)});
  values.push_back({"epochs_tried", "", 0, static_cast<double>(result.epochs_tried)});
  values.push_back({"steps", "", 0, static_cast<double>(result.steps)});
  if (const std::optional<double> theta = result.score->adaptation())
    values.push_back({"adaptation", "", 0, *theta});
  return with_sides(result.score, method, experiment.evaluation.sides);
}

/// Every test point with its leave-one-out interval, in the units that the targets came in. Intervals with
/// unequal sides have them in two more columns.
std::string interval_table(const Experiment& experiment, const Prepared& p, const FittedScore& score,
                           const arma::mat& local, const Calibration& all) {
  const Level& level = experiment.keep_intervals.level;
  const arma::uvec everyone = arma::regspace<arma::uvec>(0, p.y_test.n_elem - 1);
  const Bounds bounds = intervals_of(score, all, {.local = local, .left_out = &everyone}, p.f_test,
                                     {&level, 1}, experiment.evaluation.quantile)
                            .front();
  const arma::vec widths = bounds.half_width();
  const bool two_sided = arma::any(bounds.below != bounds.above);
  const double unit = p.target_scale;
  const auto optional = [](const arma::vec& values, arma::uword i) {
    return values.empty() ? std::string() : fmt::format("{}", values[i]);
  };
  std::string text = fmt::format("row,x,y,f,half_width,truth,sigma{}\n", two_sided ? ",below,above" : "");
  for (arma::uword i = 0; i < widths.n_elem; ++i) {
    const double scale = widths[i] < 0 ? 1.0 : unit;
    text += fmt::format("{},{},{},{},{},{},{}", p.rows_test[i] + 1, optional(p.x_test, i), p.y_test[i] * unit,
                        p.f_test[i] * unit, widths[i] * scale, optional(p.truth_test, i),
                        optional(p.sigma_test, i));
    if (two_sided) text += fmt::format(",{},{}", bounds.below[i] * scale, bounds.above[i] * scale);
    text += "\n";
  }
  return text;
}

}  // namespace

TaskResult run_task(const Experiment& experiment, const Prepared& prepared, const Task& task,
                    const std::function<void()>& on_epoch) {
  TaskResult result;
  result.cell.task = task;
  std::vector<Measurement>& values = result.cell.values;
  values = prepared.values;
  const auto score = fit_method(experiment, prepared, task, on_epoch, values);
  const arma::mat local = score->local(prepared.X_test);
  const Calibration all = score->calibration(local, prepared.f_test, prepared.y_test);
  if (all.has_nan())
    run_error("transformed scores are not numbers: the trained network gives values without meaning");
  if (keeps_intervals(experiment, task))
    result.intervals = interval_table(experiment, prepared, *score, local, all);

  const Roles roles = assign(experiment, task, prepared.y_test.n_elem);
  values.push_back({"calibration_points", "", 0, static_cast<double>(roles.calibration.n_elem)});
  values.push_back({"scored_points", "", 0, static_cast<double>(roles.scored.n_elem)});
  ScoredIntervals intervals{.X = prepared.X_test.cols(roles.scored),
                            .f = prepared.f_test.elem(roles.scored),
                            .y = prepared.y_test.elem(roles.scored),
                            .bounds = {},
                            .rank_width = {},
                            .local_error = prepared.local_error_test.elem(roles.scored)};
  // Under leave-one-out the pool calibrates, the first points of the test part: a point's place in both is
  // the same.
  const bool left_out = experiment.evaluation.mode == EvaluationMode::leave_one_out;
  const Calibration calibration = those_of(all, roles.calibration);
  const arma::mat local_scored = columns_of(local, roles.scored);
  const auto all_bounds = [&](const arma::uvec* without) {
    return intervals_of(*score, calibration, {.local = local_scored, .left_out = without}, intervals.f,
                        experiment.levels, experiment.evaluation.quantile);
  };
  std::vector<Bounds> bounds = all_bounds(left_out ? &roles.scored : nullptr);
  const std::vector<Bounds> common = left_out ? all_bounds(nullptr) : std::vector<Bounds>();
  for (std::size_t l = 0; l < experiment.levels.size(); ++l) {
    const Level& level = experiment.levels[l];
    intervals.bounds = std::move(bounds[l]);
    if (left_out) intervals.rank_width = common[l].half_width();
    Stream slabs(StreamName{experiment.seed, task.dataset, task.run, "", "slabs"});
    Stream folds(StreamName{experiment.seed, task.dataset, task.run, "", "excess risk"});
    std::vector<MetricValue> metrics =
        measure(intervals, level, slabs, experiment.evaluation.excess_risk ? &folds : nullptr);
    for (MetricValue& remark : score->remarks(local_scored, level)) metrics.push_back(std::move(remark));
    for (const MetricValue& metric : metrics)
      if (!std::isnan(
              metric.value))  // a metric without meaning here: the size of intervals that are all empty
        values.push_back({metric.metric, level.text(), metric.bin, metric.value});
  }
  return result;
}

}  // namespace lacp
