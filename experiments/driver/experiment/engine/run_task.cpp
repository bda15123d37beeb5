#include "experiment/engine/run_task.hpp"

#include <algorithm>
#include <cmath>

#include "experiment/metrics.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/random.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/training/fit_localizer.hpp"
#include "models/predictor/predictor.hpp"

namespace lacp {
namespace {

/// The calibration points among all test points.
Calibration those_of(const Calibration& all, const arma::uvec& points) {
  Calibration some{.scores = {}, .local = columns_of(all.local, points)};
  for (const arma::vec& scores : all.scores) some.scores.push_back(scores.elem(points));
  return some;
}

void require_numbers(const std::vector<Bounds>& all) {
  for (const Bounds& bounds : all) {
    const arma::vec widths = bounds.half_width();
    if (widths.has_nan())
      run_error("{} of {} intervals are not a number: the trained network has diverged",
                arma::uvec(arma::find_nan(widths)).n_elem, widths.n_elem);
  }
}

/// What a fit chose.
void record(const auto& fit, std::optional<double> adaptation, std::vector<Measurement>& values) {
  values.push_back({"best_epoch", "", 0, static_cast<double>(fit.best_epoch)});
  values.push_back({"epochs_tried", "", 0, static_cast<double>(fit.epochs_tried)});
  values.push_back({"steps", "", 0, static_cast<double>(fit.steps)});
  if (adaptation) values.push_back({"adaptation", "", 0, *adaptation});
}

/// What a method says about scored points, in units that are told.
struct Answer {
  arma::vec f, y;
  double unit = 1.0;
  std::vector<Bounds> bounds;       // at the levels of the experiment
  std::vector<Bounds> common = {};  // of leave-one-out: as if no point were left out
  std::vector<std::optional<double>> crossed = {};
};

/// Rows of a table of intervals, in the units of the data; unequal sides in two columns.
std::string interval_table(const Prepared& p, const arma::uvec& points, const arma::vec& f,
                           const arma::vec& y, const Bounds& bounds, double unit) {
  const arma::vec widths = bounds.half_width();
  const bool two_sided = arma::any(bounds.below != bounds.above);
  const auto optional = [](const arma::vec& values, arma::uword i) {
    return values.empty() ? std::string() : fmt::format("{}", values[i]);
  };
  std::string text = fmt::format("row,x,y,f,half_width,truth,sigma{}\n", two_sided ? ",below,above" : "");
  for (arma::uword i = 0; i < widths.n_elem; ++i) {
    const arma::uword point = points[i];
    const double scale = widths[i] < 0 ? 1.0 : unit;
    text += fmt::format("{},{},{},{},{},{},{}", p.split.test[point] + 1, optional(p.x_test, point),
                        y[i] * unit, f[i] * unit, widths[i] * scale, optional(p.truth_test, point),
                        optional(p.sigma_test, point));
    if (two_sided) text += fmt::format(",{},{}", bounds.below[i] * scale, bounds.above[i] * scale);
    text += "\n";
  }
  return text;
}

/// Of a fit with the task's random numbers.
PredictorSettings settings_of_fit(const Experiment& experiment, const Task& task) {
  PredictorSettings settings{.method = task.method,
                             .seed = experiment.seed,
                             .dataset = task.dataset,
                             .run = task.run,
                             .levels = fitted_levels(experiment, task),
                             .centre = experiment.predictor,
                             .cross_fit = experiment.predictor.cross_fit,
                             .sides = experiment.evaluation.sides,
                             .transformation = experiment.transformation,
                             .network = experiment.network,
                             .training = experiment.training};
  if (!has_distribution(find_method(task.method)))
    settings.sides = settings.training.selection.sides = Sides::both;  // which its intervals have
  return settings;
}

/// By the score alone, as the paper has it: each level by itself, with ends that are any numbers.
Answer ask_score(const Experiment& experiment, const Prepared& p, const Task& task, const Roles& roles,
                 TaskResult& result) {
  const PredictorSettings settings = settings_of_fit(experiment, task);
  const FitResult fitted = fit_score(p, settings);
  record(fitted, fitted.score->adaptation(), result.cell.values);
  const FittedScore& score = *fitted.score;
  const arma::mat local = score.local(p.third.X, p.third.f);
  const Calibration all = score.calibration(local, p.third.f, p.third.y);
  if (all.has_nan()) run_error("transformed scores are not numbers: the trained network has diverged");
  const QuantileRule rule = experiment.evaluation.quantile;
  if (keeps_intervals(experiment, task)) {  // of every test point, by all others
    const arma::uvec everyone = arma::regspace<arma::uvec>(0, p.third.y.n_elem - 1);
    const std::vector<Bounds> kept = score.intervals(all, {.local = local, .left_out = &everyone}, p.third.f,
                                                     {&experiment.keep_intervals.level, 1}, rule);
    require_numbers(kept);
    result.intervals = interval_table(p, everyone, p.third.f, p.third.y, kept.front(), p.scaling.target);
  }
  // Under leave-one-out the pool calibrates, the first test points: a point has the same place in both.
  const bool left_out = experiment.evaluation.mode == EvaluationMode::leave_one_out;
  const arma::uvec* without = left_out ? &roles.scored : nullptr;
  const Calibration calibration = those_of(all, roles.calibration);
  const arma::mat local_scored = columns_of(local, roles.scored);
  Answer answer{.f = p.third.f.elem(roles.scored), .y = p.third.y.elem(roles.scored), .bounds = {}};
  const auto bounds = [&](const arma::uvec* those) {
    return score.intervals(calibration, {.local = local_scored, .left_out = those}, answer.f,
                           experiment.levels, rule);
  };
  answer.bounds = bounds(without);
  if (left_out) answer.common = bounds(nullptr);
  for (const Level& level : experiment.levels) answer.crossed.push_back(score.crossed(local_scored, level));
  result.cell.values.push_back({"calibration_points", "", 0, static_cast<double>(roles.calibration.n_elem)});
  return answer;
}

/// Places of test points among all rows.
arma::uvec rows_of_test(const Prepared& p, const arma::uvec& points) {
  return arma::uvec(p.split.test).elem(points);
}

/// The model that `lacp fit` makes of the rows that train and calibrate.
LocalPredictor fit_known(const Prepared& p, const Roles& roles, PredictorSettings settings) {
  arma::uvec known = arma::join_cols(arma::uvec(p.split.train), rows_of_test(p, roles.calibration));
  if (settings.cross_fit == 0) known = arma::join_cols(arma::uvec(p.split.proper), known);
  const arma::vec y = p.y.elem(known);
  settings.whole = std::ranges::all_of(y, [](double target) { return target == std::round(target); });
  settings.every_row = every_row_pays(settings, known.n_elem, known.n_elem);
  if (settings.every_row) return LocalPredictor::fit(p.X.cols(known), y, settings);
  CentredPart calibrating{p.third.X.cols(roles.calibration), p.third.y.elem(roles.calibration),
                          p.third.f.elem(roles.calibration)};
  return LocalPredictor::fit(p, std::move(calibrating), y, settings);
}

/// As `lacp predict` answers, in the units of the data.
Answer ask_model(const Experiment& experiment, const Prepared& p, const Task& task, const Roles& roles,
                 TaskResult& result) {
  const LocalPredictor model = fit_known(p, roles, settings_of_fit(experiment, task));
  const arma::uvec scored = rows_of_test(p, roles.scored);
  const Questions questions{fitted_levels(experiment, task)};
  const LevelIntervals found = model.ask(p.X.cols(scored), questions);
  Answer answer{.f = found.f, .y = p.y.elem(scored), .unit = p.scaling.target, .bounds = found.bounds};
  answer.bounds.resize(experiment.levels.size());
  answer.crossed.resize(experiment.levels.size());
  if (keeps_intervals(experiment, task)) {
    const auto kept = std::ranges::find(questions.levels, experiment.keep_intervals.level);
    const Bounds& bounds = found.bounds[static_cast<std::size_t>(kept - questions.levels.begin())];
    result.intervals = interval_table(p, roles.scored, answer.f, answer.y, bounds, 1.0);
  }
  record(model.report(), model.report().adaptation, result.cell.values);
  result.cell.values.push_back({"calibration_points", "", 0, static_cast<double>(model.calibration_size())});
  return answer;
}

}  // namespace

TaskResult run_task(const Experiment& experiment, const Prepared& prepared, const Task& task) {
  TaskResult result;
  result.cell.task = task;
  std::vector<Measurement>& values = result.cell.values;
  values = prepared.values;
  const EvaluationOptions& options = experiment.evaluation;
  const Roles roles = assign(experiment, task, prepared.third.y.n_elem);
  const bool as_fit = task.method == PredictorSettings::recommended().method &&
                      options.mode == EvaluationMode::halves && options.quantile == QuantileRule::ceiling;
  Answer answer = (as_fit ? ask_model : ask_score)(experiment, prepared, task, roles, result);
  require_numbers(answer.bounds);
  values.push_back({"scored_points", "", 0, static_cast<double>(roles.scored.n_elem)});
  ScoredIntervals intervals{.X = prepared.third.X.cols(roles.scored),
                            .f = std::move(answer.f),
                            .y = std::move(answer.y),
                            .bounds = {},
                            .rank_width = {},
                            .local_error = prepared.local_error_test.elem(roles.scored),
                            .unit = answer.unit};
  for (std::size_t l = 0; l < experiment.levels.size(); ++l) {
    const Level& level = experiment.levels[l];
    intervals.bounds = std::move(answer.bounds[l]);
    if (!answer.common.empty()) intervals.rank_width = answer.common[l].half_width();
    Stream slabs(StreamName{experiment.seed, task.dataset, task.run, "", "slabs"});
    Stream folds(StreamName{experiment.seed, task.dataset, task.run, "", "excess risk"});
    std::vector<MetricValue> metrics =
        measure(intervals, level, slabs, options.excess_risk ? &folds : nullptr);
    if (answer.crossed[l]) metrics.push_back({"crossed", 0, *answer.crossed[l]});
    for (const MetricValue& metric : metrics)
      if (!std::isnan(
              metric.value))  // a metric without meaning here: the size of intervals that are all empty
        values.push_back({metric.metric, level.text(), metric.bin, metric.value});
  }
  return result;
}

}  // namespace lacp
