#include "work/run_task.hpp"

#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/conformal/fit_localizer.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/metrics.hpp"
#include "lacp/conformal/registry.hpp"
#include "work/prepare.hpp"

namespace lacp {
namespace {

/// Points whose intervals are scored, and the scores that calibrate them, as columns of the test part.
struct Roles {
  arma::uvec calibration, scored;
};

arma::uvec first_sorted(const std::vector<arma::uword>& order, std::size_t from, std::size_t count) {
  return arma::sort(
      arma::uvec(std::vector<arma::uword>(order.begin() + static_cast<std::ptrdiff_t>(from),
                                          order.begin() + static_cast<std::ptrdiff_t>(from + count))));
}

/// The halves are the same for all methods; which points of a pool are scored is drawn again for each method,
/// as the validities of Table 1 are.
Roles assign(const Experiment& experiment, const Task& task, std::size_t test_points) {
  const EvaluationOptions& options = experiment.evaluation;
  const std::size_t pool = options.pool == 0 ? test_points : std::min(options.pool, test_points);
  Roles roles;
  if (options.mode == EvaluationMode::halves) {
    Stream stream(StreamName{experiment.seed, task.dataset, task.run, "", "halves"});
    const auto order = stream.permutation<arma::uword>(pool);
    roles.calibration = first_sorted(order, 0, pool / 2);
    roles.scored = first_sorted(order, pool / 2, pool - pool / 2);
  } else {
    roles.calibration = roles.scored = arma::regspace<arma::uvec>(0, pool - 1);
  }
  if (options.scored != 0 && options.scored < roles.scored.n_elem) {
    Stream stream(StreamName{experiment.seed, task.dataset, task.run, task.method, "scored"});
    const auto order = stream.permutation<arma::uword>(roles.scored.n_elem);
    roles.scored = roles.scored.elem(first_sorted(order, 0, options.scored));
  }
  return roles;
}

/// q̂ for each scored point.
arma::vec thresholds(const Experiment& experiment, const Roles& roles, const arma::vec& scores,
                     const Level& level) {
  const arma::vec calibration = scores.elem(roles.calibration);
  const QuantileRule rule = experiment.evaluation.quantile;
  if (experiment.evaluation.mode == EvaluationMode::halves)
    return arma::vec(roles.scored.n_elem, arma::fill::value(calibrate(calibration, level, rule)));
  arma::vec all(scores.n_elem, arma::fill::zeros);
  all.elem(roles.calibration) = leave_one_out(calibration, level, rule);
  return all.elem(roles.scored);
}

arma::vec half_widths(const Localizer& localizer, const arma::mat& X, const arma::vec& q) {
  arma::vec widths = localizer.half_widths(X, q);
  if (widths.has_nan())
    run_error("{} of {} intervals are not a number: the trained network gives values without meaning",
              arma::uvec(arma::find_nan(widths)).n_elem, widths.n_elem);
  return widths;
}

Localizer train_method(const Experiment& experiment, const Prepared& prepared, const Task& task,
                       const std::function<void()>& on_epoch, std::vector<Measurement>& values) {
  const auto stream = [&](std::string_view purpose) {
    return Stream(StreamName{experiment.seed, task.dataset, task.run, task.method, purpose});
  };
  const TrainingResult result =
      train(find_method(task.method), experiment.transformation, experiment.network, experiment.training,
            prepared.X_train, prepared.log_a_train,
            {stream("weights"), stream("shuffle"), stream("validation")}, [&](const EpochReport&) {
              if (on_epoch) on_epoch();
            });
  if (result.failure) run_error("{}", result.failure->what());
  values.push_back({"best_epoch", "", 0, static_cast<double>(result.best_epoch)});
  values.push_back({"epochs_tried", "", 0, static_cast<double>(result.epochs_tried)});
  values.push_back({"steps", "", 0, static_cast<double>(result.steps)});
  if (result.localizer.method.adaptations.size() > 1)
    values.push_back({"adaptation", "", 0, *result.localizer.adaptation()});
  return result.localizer;
}

/// Every test point with its leave-one-out interval, in the units that the targets came in.
std::string interval_table(const Experiment& experiment, const Prepared& p, const Localizer& localizer,
                           const arma::vec& scores) {
  const arma::vec q = leave_one_out(scores, experiment.keep_intervals.level, experiment.evaluation.quantile);
  const arma::vec widths = half_widths(localizer, p.X_test, q);
  const double unit = p.target_scale;
  const auto optional = [](const arma::vec& values, arma::uword i) {
    return values.empty() ? std::string() : fmt::format("{}", values[i]);
  };
  std::string text = "row,x,y,f,half_width,truth,sigma\n";
  for (arma::uword i = 0; i < widths.n_elem; ++i)
    text += fmt::format("{},{},{},{},{},{},{}\n", p.rows_test[i] + 1, optional(p.x_test, i),
                        p.y_test[i] * unit, p.f_test[i] * unit, widths[i] < 0 ? widths[i] : widths[i] * unit,
                        optional(p.truth_test, i), optional(p.sigma_test, i));
  return text;
}

}  // namespace

TaskResult run_task(const Experiment& experiment, const Prepared& prepared, const Task& task,
                    const std::function<void()>& on_epoch) {
  TaskResult result;
  result.cell.task = task;
  std::vector<Measurement>& values = result.cell.values;
  values = prepared.values;
  const Localizer localizer = train_method(experiment, prepared, task, on_epoch, values);
  const arma::vec scores = localizer.scores(prepared.X_test, prepared.log_a_test);
  if (scores.has_nan())
    run_error("transformed scores are not numbers: the trained network gives values without meaning");
  if (keeps_intervals(experiment, task))
    result.intervals = interval_table(experiment, prepared, localizer, scores);

  const Roles roles = assign(experiment, task, scores.n_elem);
  values.push_back({"calibration_points", "", 0, static_cast<double>(roles.calibration.n_elem)});
  values.push_back({"scored_points", "", 0, static_cast<double>(roles.scored.n_elem)});
  ScoredIntervals intervals{.X = prepared.X_test.cols(roles.scored),
                            .f = prepared.f_test.elem(roles.scored),
                            .y = prepared.y_test.elem(roles.scored),
                            .half_width = {},
                            .rank_width = {},
                            .local_error = prepared.local_error_test.elem(roles.scored)};
  for (const Level& level : experiment.levels) {
    intervals.half_width = half_widths(localizer, intervals.X, thresholds(experiment, roles, scores, level));
    if (experiment.evaluation.mode == EvaluationMode::leave_one_out) {
      const double common = calibrate(scores.elem(roles.calibration), level, experiment.evaluation.quantile);
      intervals.rank_width = half_widths(localizer, intervals.X, arma::vec(roles.scored.n_elem).fill(common));
    }
    Stream slabs(StreamName{experiment.seed, task.dataset, task.run, "", "slabs"});
    for (const MetricValue& metric : measure(intervals, level, slabs))
      if (!std::isnan(
              metric.value))  // a metric without meaning here: the size of intervals that are all empty
        values.push_back({metric.metric, level.text(), metric.bin, metric.value});
  }
  return result;
}

}  // namespace lacp
