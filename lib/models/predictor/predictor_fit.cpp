// How a model is fitted: split by split, around a centre.

#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/training/fit_localizer.hpp"
#include "models/predictor/predictor_parts.hpp"

namespace lacp {
namespace {

void require_rows(const arma::mat& X, const arma::vec& y) {
  if (X.n_cols != y.n_elem || X.empty() || !X.is_finite() || !y.is_finite())
    user_error("LocalPredictor: {} attributes and {} rows, {} targets; expected finite numbers", X.n_rows,
               X.n_cols, y.n_elem);
}

void require_splits(const FitSplits& splits, const arma::mat& X) {
  const auto check = [](std::string_view what, const std::vector<arma::uword>& places, arma::uword count) {
    for (const arma::uword place : places)
      if (place >= count) user_error("FitSplits: no {} {}", what, place);
  };
  for (const Split& split : splits.splits) {
    if (split.proper.empty() || split.test.empty()) user_error("FitSplits: a part has no rows");
    for (const auto* part : {&split.proper, &split.train, &split.test}) check("row", *part, X.n_cols);
  }
  if (!splits.hidden.empty() && splits.hidden.size() != splits.splits.size())
    user_error("FitSplits: {} for {}", counted(splits.hidden.size(), "hidden list"),
               counted(splits.splits.size(), "split"));
  for (const auto& hidden : splits.hidden) check("attribute", hidden, X.n_rows);
}

FitReport report_of(const Centre& centre, const FitResult& result) {
  FitReport report;
  report.steps = result.steps;
  report.adaptation = result.score->adaptation();
  report.best_epoch = result.best_epoch;
  report.epochs_tried = result.epochs_tried;
  report.validation_scores = result.validation_scores;
  if (const auto* knn = std::get_if<KnnRegressor>(&centre)) report.neighbours = knn->k();
  if (const auto* boosted = std::get_if<BoostedTrees>(&centre)) report.trees = boosted->trees().size();
  if (const auto* mlp = std::get_if<MlpRegressor>(&centre)) report.centre_epochs = mlp->epochs;
  if (const auto* stack = std::get_if<Stack>(&centre)) {
    const Stack::Weights& weights = stack->weights;
    report.weights = {weights.boosted, weights.network, weights.neighbours, weights.random};
    if (!stack->networks.empty()) report.network_epochs = stack->networks.front().epochs;
    report.mapped = stack->map.has_value();
  }
  return report;
}

/// What fits of several folds chose, on average.
FitReport joined(const std::vector<FitReport>& reports) {
  FitReport all = reports.front();
  all.calibrating.clear();
  all.out_of_folds.reset();
  all.validation_scores.clear();
  all.steps = 0;
  for (const FitReport& report : reports) {
    all.steps += report.steps;
    if (report.adaptation != all.adaptation) all.adaptation.reset();
    if (report.network_epochs != all.network_epochs || report.mapped != all.mapped) all.network_epochs = 0;
    all.calibrating.insert(all.calibrating.end(), report.calibrating.begin(), report.calibrating.end());
    all.out_of_folds = arma::join_cols(all.out_of_folds, report.out_of_folds);
  }
  const auto mean_over = [&](auto value) {
    std::vector<double> values;
    for (const FitReport& report : reports) values.push_back(static_cast<double>(value(report)));
    return mean_of(values);
  };
  for (std::size_t FitReport::*count : {&FitReport::neighbours, &FitReport::trees, &FitReport::centre_epochs,
                                        &FitReport::best_epoch, &FitReport::epochs_tried})
    all.*count = static_cast<std::size_t>(std::llround(mean_over([&](const auto& of) { return of.*count; })));
  for (std::size_t i = 0; i < all.weights.size(); ++i)
    all.weights[i] = mean_over([&](const auto& of) { return of.weights[i]; });
  return all;
}

}  // namespace

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings,
                                   const std::function<void(const EpochReport&)>& on_epoch) {
  refuse("settings", check_of(settings));
  require_rows(X, y);
  return fit(X, y, splits_of_fit(X, y, settings), settings, on_epoch);
}

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y, const FitSplits& fit_splits,
                                   const PredictorSettings& settings,
                                   const std::function<void(const EpochReport&)>& on_epoch) {
  refuse("settings", check_of(settings));
  require_rows(X, y);
  if (settings.whole) require_whole(y, "settings.whole");
  require_groups(settings.groups, y.n_elem);
  for (const arma::uword attribute : settings.by)
    if (attribute >= X.n_rows) user_error("settings.by: found {}; expected 0 to {}", attribute, X.n_rows - 1);
  const Method& method = find_method(settings.method);
  const std::vector<Split>& splits = fit_splits.splits;
  if (settings.calibration_folds != 0 && !calibrates_by_folds(method, settings.sides))
    user_error("settings.calibration_folds: is not for {} with these sides; expected 0", method.name);
  if (splits.size() != std::max<std::size_t>(1, settings.calibration_folds))
    user_error("FitSplits: {} for {}", counted(splits.size(), "split"),
               counted(settings.calibration_folds, "fold"));
  require_splits(fit_splits, X);
  std::vector<std::optional<Parts>> fitted(splits.size());
  std::vector<std::function<void()>> tasks;
  PredictorSettings own = settings;
  own.training.selection.levels = settings.levels;
  own.training.selection.sides = settings.sides;
  if (splits.size() > 1) own.jobs = 1;
  std::mutex one_at_a_time;
  for (std::size_t k = 0; k < splits.size(); ++k)
    tasks.emplace_back([&, k] {
      const bool sees_all = fit_splits.hidden.empty();
      fitted[k] = fit_split(X, y, splits[k], sees_all ? std::vector<arma::uword>() : fit_splits.hidden[k],
                            own, [&, k](EpochReport report) {
                              const std::lock_guard lock(one_at_a_time);
                              report.fold = k;
                              if (on_epoch) on_epoch(report);
                            });
      if (!on_epoch || splits.size() == 1) return;
      EpochReport finished;
      finished.fold = k;
      const std::lock_guard lock(one_at_a_time);
      on_epoch(finished);
    });
  do_all(tasks, settings.jobs);
  Parts parts{.method = method.name,
              .sides = settings.sides,
              .whole = settings.whole,
              .folds = {},
              .grouped = !settings.groups.empty(),
              .least = y.min(),
              .largest = y.max()};
  std::vector<FitReport> reports;
  for (std::size_t k = 0; k < splits.size(); ++k) {
    const Fold& fold = parts.folds.emplace_back(std::move(fitted[k]->folds.front()));
    FitReport& report = reports.emplace_back(std::move(fitted[k]->report));
    if (splits.size() == 1) continue;
    report.calibrating = splits[k].test;
    report.out_of_folds =
        fold.scaling.target *
        lacp::predict(fold.centre, fold.scaling.attributes(X.cols(arma::uvec(splits[k].test))));
  }
  parts.report = splits.size() == 1 ? std::move(reports.front()) : joined(reports);
  parts.report.repeated_rows = fit_splits.repeated;
  parts.report.dropped_rows = fit_splits.dropped;
  return LocalPredictor(std::move(parts));
}

LocalPredictor LocalPredictor::fit(const CentredParts& parts, CentredPart calibrating, const arma::vec& y,
                                   const PredictorSettings& settings) {
  if (settings.whole) require_whole(y, "settings.whole");
  Parts fitted = fit_around(parts, parts.centre, std::move(calibrating), settings);
  fitted.least = y.min();
  fitted.largest = y.max();
  return LocalPredictor(std::move(fitted));
}

FitResult fit_score(const CentredParts& parts, const PredictorSettings& settings,
                    const std::function<void(const EpochReport&)>& on_epoch) {
  const Method& method = find_method(settings.method);
  const CentredPart none{arma::mat(parts.second.X.n_rows, 0), {}};
  const CentredPart& first = settings.cross_fit == 0 ? parts.first : none;
  FitResult result = method.fit(
      method, {.X_first = first.X,
               .y_first = first.y,
               .X = parts.second.X,
               .y = parts.second.y,
               .f = parts.second.f,
               .groups_first = settings.cross_fit == 0 ? parts.groups_first : Groups(),
               .groups = parts.groups,
               .levels = settings.levels,
               .transformation = settings.transformation,
               .network = settings.network,
               .training = settings.training,
               .baselines = settings.baselines,
               .stream = [&](std::string_view purpose) { return stream_of(settings, method.name, purpose); },
               .on_epoch = on_epoch,
               .jobs = settings.jobs});
  if (result.failure) throw TrainingError(*result.failure);
  result.score = with_sides(result.score, method, settings.sides);
  return result;
}

LocalPredictor::Parts LocalPredictor::fit_split(const arma::mat& X, const arma::vec& y, const Split& split,
                                                const std::vector<arma::uword>& hidden,
                                                const PredictorSettings& settings,
                                                const std::function<void(const EpochReport&)>& on_epoch) {
  const Method& method = find_method(settings.method);
  if (settings.sides == Sides::each && !has_distribution(method)) refuse_each_side("settings", method.name);
  std::vector<arma::uword> naming;
  for (const arma::uword i : settings.by)
    if (std::ranges::count(hidden, i) > 0) naming.push_back(i);
  CentredParts parts =
      centre_parts(X, y, split,
                   {.centre = settings.centre,
                    .cross_fit = settings.cross_fit,
                    .groups_first = groups_of(split.proper, settings.groups),
                    .groups = groups_of(split.train, settings.groups),
                    .errors = learns_from_errors(method),
                    .hidden = hidden,
                    .hide_constant = settings.calibration_folds != 0,
                    .naming = naming,
                    .jobs = settings.jobs},
                   [&](std::string_view purpose) { return stream_of(settings, "", purpose); });
  if (settings.cross_fit != 0) parts.first = {};
  Centre centre = std::move(parts.centre);
  return fit_around(parts, std::move(centre), std::move(parts.third), settings, on_epoch);
}

LocalPredictor::Parts LocalPredictor::fit_around(const CentredParts& parts, Centre centre,
                                                 CentredPart calibrating, const PredictorSettings& settings,
                                                 const std::function<void(const EpochReport&)>& on_epoch) {
  const FitResult result = fit_score(parts, settings, on_epoch);
  FitReport report = report_of(centre, result);
  if (settings.cross_fit != 0 && learns_from_errors(find_method(settings.method)))
    report.out_of_folds = parts.scaling.target * parts.second.f;
  Parts fitted{.method = find_method(settings.method).name,
               .sides = settings.sides,
               .whole = settings.whole,
               .folds = {{.scaling = parts.scaling,
                          .centre = std::move(centre),
                          .rows = std::move(calibrating),
                          .by = settings.by}},
               .report = std::move(report)};
  Fold& fold = fitted.folds.front();
  fold.arrived.assign(fold.rows.y.n_elem, 0);
  fitted.calibrate(fold, result.score, settings.jobs);
  return fitted;
}

}  // namespace lacp
