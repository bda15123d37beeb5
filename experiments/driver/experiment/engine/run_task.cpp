#include "experiment/engine/run_task.hpp"

#include <algorithm>
#include <cmath>

#include "common/crps.hpp"
#include "experiment/metrics.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/random.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/paper/training/fit_localizer.hpp"
#include "lacp/conformal/predictor/predictor.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/model/trees/bins.hpp"

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
      run_error("{} of {} intervals are not a number: the trained network has diverged",
                arma::uvec(arma::find_nan(widths)).n_elem, widths.n_elem);
  }
  return all;
}

std::shared_ptr<const FittedScore> fit_method(const Experiment& experiment, const Prepared& prepared,
                                              const Task& task, std::vector<Measurement>& values) {
  const Method& method = find_method(task.method);
  const bool out_of_folds = experiment.predictor.cross_fit != 0;
  const arma::mat no_points(prepared.train.X.n_rows, 0);
  const arma::vec no_targets;
  TrainingOptions training = experiment.training;
  if (!method.scale_family) training.selection.sides = Sides::both;  // which its intervals have
  const FitResult result = method.fit(
      method, {.X_first = out_of_folds ? no_points : prepared.proper.X,
               .y_first = out_of_folds ? no_targets : prepared.proper.y,
               .X = prepared.train.X,
               .y = prepared.train.y,
               .f = prepared.train.f,
               .levels = fitted_levels(experiment, task),
               .transformation = experiment.transformation,
               .network = experiment.network,
               .training = training,
               .stream = [&](std::string_view purpose) {
                 return Stream(StreamName{experiment.seed, task.dataset, task.run, task.method, purpose});
               }});
  if (result.failure) run_error("{}", result.failure->what());
  values.push_back({"best_epoch", "", 0, static_cast<double>(result.best_epoch)});
  values.push_back({"epochs_tried", "", 0, static_cast<double>(result.epochs_tried)});
  values.push_back({"steps", "", 0, static_cast<double>(result.steps)});
  if (const std::optional<double> theta = result.score->adaptation())
    values.push_back({"adaptation", "", 0, *theta});
  return with_sides(result.score, method, experiment.evaluation.sides);
}

/// Every test point with its leave-one-out interval, in the units of the data; unequal sides in two columns.
std::string interval_table(const Experiment& experiment, const Prepared& p, const FittedScore& score,
                           const arma::mat& local, const Calibration& all) {
  const Level& level = experiment.keep_intervals.level;
  const arma::uvec everyone = arma::regspace<arma::uvec>(0, p.test.y.n_elem - 1);
  const Bounds bounds = intervals_of(score, all, {.local = local, .left_out = &everyone}, p.test.f,
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
    text += fmt::format("{},{},{},{},{},{},{}", p.rows_test[i] + 1, optional(p.x_test, i), p.test.y[i] * unit,
                        p.test.f[i] * unit, widths[i] * scale, optional(p.truth_test, i),
                        optional(p.sigma_test, i));
    if (two_sided) text += fmt::format(",{},{}", bounds.below[i] * scale, bounds.above[i] * scale);
    text += "\n";
  }
  return text;
}

/// Mean CRPS of the scored points.
double mean_crps(const Experiment& experiment, const Prepared& p,
                 const std::shared_ptr<const FittedScore>& score, const Roles& roles,
                 const arma::uvec* left_out) {
  const arma::vec f = p.test.f.elem(roles.scored), y = p.test.y.elem(roles.scored);
  SingleEnds single{Questions().with_quantiles(percentiles())};
  const arma::mat local = with_ends(score, single.asked, Ends::lower)->local(p.test.X, p.test.f),
                  local_scored = columns_of(local, roles.scored);
  for (const Ends ends : {Ends::lower, Ends::upper}) {
    const auto one = with_ends(score, single.asked, ends);
    const Calibration calibration = those_of(one->calibration(local, p.test.f, p.test.y), roles.calibration);
    single.set(ends, f,
               intervals_of(*one, calibration, {.local = local_scored, .left_out = left_out}, f,
                            single.asked.at(ends), experiment.evaluation.quantile));
  }
  const arma::mat quantiles = single.quantiles(percentiles());
  arma::vec losses(y.n_elem);
  for (arma::uword n = 0; n < y.n_elem; ++n) losses(n) = crps_score(finite_quantiles(quantiles.col(n)), y(n));
  return mean_of(losses);
}

constexpr std::size_t local_error_neighbours = 32;

arma::vec take_if_any(const arma::vec& values, const std::vector<arma::uword>& rows) {
  return values.empty() ? arma::vec() : arma::vec(values.elem(arma::uvec(rows)));
}

void record(const Centre& centre, const std::string& suffix, std::vector<Measurement>& values) {
  if (const auto* boosted = std::get_if<BoostedTrees>(&centre))
    values.push_back({"rounds", "", 0, static_cast<double>(boosted->trees().size())});
  if (const auto* stack = std::get_if<Stack>(&centre)) {
    const auto& [boosted, network, neighbours] = stack->weights;
    values.push_back({"weight_boosted", "", 0, boosted});
    values.push_back({"weight_network", "", 0, network});
    values.push_back({"weight_neighbours", "", 0, neighbours});
  }
  if (const auto* mlp = std::get_if<MlpRegressor>(&centre))
    values.push_back({"mlp_epochs", "", 0, static_cast<double>(mlp->epochs)});
  if (kind_of(centre) != CentreKind::knn) return;
  const auto& knn = std::get<KnnRegressor>(centre);
  values.push_back({"k" + suffix, "", 0, static_cast<double>(knn.k())});
  for (const KnnTrial& trial : knn.trials())
    values.push_back({"k_error" + suffix, "", trial.k, trial.error});  // the bin is K itself
}

/// Rounded down; a tiny amount is added so that an exact product is not rounded down by its last bit.
std::size_t share_of(std::size_t count, double share) {
  const auto all = static_cast<double>(count);
  return std::min(count, static_cast<std::size_t>(all * share + 1e-9 * all));
}

/// How many of a data set's rows take part.
std::size_t rows_of(const Experiment& experiment, const Dataset& dataset) {
  const auto found = experiment.sample.find(dataset.name);
  return found == experiment.sample.end() ? dataset.y.n_elem : share_of(dataset.y.n_elem, found->second);
}

/// The parts of a run, before predictor.cross_fit joins the first two.
Split split_of(const Experiment& experiment, const Dataset& dataset, std::size_t run) {
  Stream stream(StreamName{experiment.seed, dataset.name, run, "", "split"});
  const std::size_t taking_part = rows_of(experiment, dataset);
  Split split = split_rows(taking_part, experiment.split, stream);
  if (taking_part < dataset.y.n_elem) {  // these are places in a drawing of that many
    Stream sample(StreamName{experiment.seed, dataset.name, run, "", "sample"});
    const auto drawn = sample.permutation<arma::uword>(dataset.y.n_elem);
    for (auto* part : {&split.proper, &split.train, &split.test})
      for (arma::uword& row : *part) row = drawn[row];
  }
  if (experiment.whole_batches)
    for (auto* rows : {&split.proper, &split.train, &split.test})
      keep_whole_batches(*rows, experiment.training.batch);
  return split;
}

}  // namespace

Dataset load_run(const DatasetDescription& description, const std::string& fingerprint, std::uint64_t seed,
                 std::size_t run) {
  if (is_synthetic(description)) {
    Stream stream(StreamName{seed, description.name, run, "", "data"});
    return generate_synthetic(description, stream);
  }
  Dataset data = load_dataset(description);
  if (data_fingerprint(description, data.fingerprint) != fingerprint)
    run_error("{}: was changed after the run began; run again", description.source->original.string());
  return data;
}

TaskResult run_task(const Experiment& experiment, const Prepared& prepared, const Task& task) {
  TaskResult result;
  result.cell.task = task;
  std::vector<Measurement>& values = result.cell.values;
  values = prepared.values;
  const auto score = fit_method(experiment, prepared, task, values);
  const arma::mat local = score->local(prepared.test.X, prepared.test.f);
  const Calibration all = score->calibration(local, prepared.test.f, prepared.test.y);
  if (all.has_nan()) run_error("transformed scores are not numbers: the trained network has diverged");
  if (keeps_intervals(experiment, task))
    result.intervals = interval_table(experiment, prepared, *score, local, all);

  const Roles roles = assign(experiment, task, prepared.test.y.n_elem);
  values.push_back({"calibration_points", "", 0, static_cast<double>(roles.calibration.n_elem)});
  values.push_back({"scored_points", "", 0, static_cast<double>(roles.scored.n_elem)});
  ScoredIntervals intervals{.X = prepared.test.X.cols(roles.scored),
                            .f = prepared.test.f.elem(roles.scored),
                            .y = prepared.test.y.elem(roles.scored),
                            .bounds = {},
                            .rank_width = {},
                            .local_error = prepared.local_error_test.elem(roles.scored)};
  // Under leave-one-out the pool calibrates, the first test points: a point has the same place in both.
  const bool left_out = experiment.evaluation.mode == EvaluationMode::leave_one_out;
  const Calibration calibration = those_of(all, roles.calibration);
  const arma::mat local_scored = columns_of(local, roles.scored);
  const auto all_bounds = [&](const arma::uvec* those) {
    return intervals_of(*score, calibration, {.local = local_scored, .left_out = those}, intervals.f,
                        experiment.levels, experiment.evaluation.quantile);
  };
  const arma::uvec* without = left_out ? &roles.scored : nullptr;
  if (experiment.evaluation.crps && has_distribution(find_method(task.method)))
    if (const double crps = mean_crps(experiment, prepared, score, roles, without); !std::isnan(crps))
      values.push_back({"crps", "", 0, crps});
  std::vector<Bounds> bounds = all_bounds(without);
  const std::vector<Bounds> common = left_out ? all_bounds(nullptr) : std::vector<Bounds>();
  for (std::size_t l = 0; l < experiment.levels.size(); ++l) {
    const Level& level = experiment.levels[l];
    intervals.bounds = std::move(bounds[l]);
    if (left_out) intervals.rank_width = common[l].half_width();
    Stream slabs(StreamName{experiment.seed, task.dataset, task.run, "", "slabs"});
    Stream folds(StreamName{experiment.seed, task.dataset, task.run, "", "excess risk"});
    std::vector<MetricValue> metrics =
        measure(intervals, level, slabs, experiment.evaluation.excess_risk ? &folds : nullptr);
    if (const auto crossed = score->crossed(local_scored, level)) metrics.push_back({"crossed", 0, *crossed});
    for (const MetricValue& metric : metrics)
      if (!std::isnan(
              metric.value))  // a metric without meaning here: the size of intervals that are all empty
        values.push_back({metric.metric, level.text(), metric.bin, metric.value});
  }
  return result;
}

Roles assign(const Experiment& experiment, const Task& task, std::size_t test_points) {
  const EvaluationOptions& options = experiment.evaluation;
  const std::size_t pool = options.pool == 0 ? test_points : std::min(options.pool, test_points);
  Roles roles;
  if (options.mode == EvaluationMode::halves) {
    Stream stream(StreamName{experiment.seed, task.dataset, task.run, "", "halves"});
    const arma::uvec order(stream.permutation<arma::uword>(pool));
    const std::size_t first = std::min(share_of(pool, options.calibration_share), pool - 1);  // one is scored
    roles.calibration = arma::sort(order.head(first));
    roles.scored = arma::sort(order.tail(pool - first));
  } else {
    roles.calibration = roles.scored = arma::regspace<arma::uvec>(0, pool - 1);
  }
  if (options.scored != 0 && options.scored < roles.scored.n_elem) {
    Stream stream(StreamName{experiment.seed, task.dataset, task.run, task.method, "scored"});
    const arma::uvec order(stream.permutation<arma::uword>(roles.scored.n_elem));
    roles.scored = roles.scored.elem(arma::sort(order.head(options.scored)));
  }
  return roles;
}

TargetUnit target_unit(const Experiment& experiment, const Dataset& dataset, std::size_t run) {
  Split split = split_of(experiment, dataset, run);
  const auto unit = [&] { return Scaling::fit({}, dataset.y.elem(arma::uvec(split.proper))).target; };
  const double proper = unit();
  if (experiment.predictor.cross_fit != 0) join_first_parts(split);
  return {.used = unit(), .proper = proper};
}

Prepared prepare(const Experiment& experiment, const Dataset& dataset, std::size_t run) {
  const auto stream = [&](std::string_view purpose) {
    return Stream(StreamName{experiment.seed, dataset.name, run, "", purpose});
  };
  const SplitSizes sizes = split_sizes(rows_of(experiment, dataset), experiment.split);
  for (const std::size_t part : {sizes.proper, sizes.train, sizes.test})
    if (experiment.whole_batches && part < experiment.training.batch)
      user_error(
          "split: a part of {} makes no whole batch of {}; use more rows, lower training.batch, or set split.whole_batches to false",
          counted(part, "row"), experiment.training.batch);
  Split split = split_of(experiment, dataset, run);
  const std::size_t folds = experiment.predictor.cross_fit;
  if (folds != 0) join_first_parts(split);
  if (arma::all(dataset.y.elem(arma::uvec(split.proper)) == 0.0))
    user_error("all {} targets of the proper part are zero; sizes in units of their mean have no meaning",
               split.proper.size());

  // Where a cell is missing, the mean of the part that fits the predictor: nothing of the others leaks.
  arma::mat filled;
  if (dataset.filled > 0) {
    filled = dataset.X;
    fill_missing(filled, known_means(dataset.X.cols(arma::uvec(split.proper)), dataset.attributes));
  }
  const arma::mat& X = dataset.filled > 0 ? filled : dataset.X;
  const PredictorOptions& predictor = experiment.predictor;
  CentredParts parts = centre_parts(X, dataset.y, split,
                                    {.centre = predictor,
                                     .cross_fit = folds,
                                     .redraw = predictor.redraw_per_part,
                                     .attributes = dataset.attributes},
                                    stream);

  Prepared out{
      .proper = std::move(parts.first), .train = std::move(parts.second), .test = std::move(parts.third)};
  const CentredPart &train = out.train, &test = out.test;
  out.values = {{"rows_proper", "", 0, static_cast<double>(split.proper.size())},
                {"rows_train", "", 0, static_cast<double>(split.train.size())},
                {"rows_test", "", 0, static_cast<double>(split.test.size())}};
  record(parts.centre, "", out.values);
  if (parts.of_second) record(*parts.of_second, "_train", out.values);
  require_predictions(test.f, test.X, dataset.attributes);
  const arma::vec error_train = arma::abs(train.f - train.y), error_test = arma::abs(test.f - test.y);
  const std::string kind(name_of(predictor.kind));
  out.values.push_back({kind + "_rmse", "", 0, std::sqrt(mean_of(arma::vec(arma::square(error_test))))});

  const std::size_t neighbours = std::min<std::size_t>(local_error_neighbours, train.y.n_elem);
  out.local_error_test = KnnRegressor(train.X, error_train, neighbours).predict(test.X);

  out.target_scale = parts.scaling.target;
  // The attributes of a synthetic set are 1, x and x². Other sets have an x if they have one attribute.
  if (!dataset.sigma.empty() || dataset.X.n_rows == 1)
    out.x_test = arma::mat(X.cols(arma::uvec(split.test))).row(dataset.sigma.empty() ? 0 : 1).t();
  out.sigma_test = take_if_any(dataset.sigma, split.test);
  out.truth_test = take_if_any(dataset.truth, split.test);
  out.rows_test = split.test;
  return out;
}

}  // namespace lacp
