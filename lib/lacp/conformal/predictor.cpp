#include "lacp/conformal/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/conformal/centred_parts.hpp"
#include "lacp/conformal/predictor_parts.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/training/fit_localizer.hpp"

namespace lacp {
namespace {

void require_finite(const arma::mat& X, const arma::vec& y) {
  if (X.n_cols != y.n_elem)
    user_error("LocalPredictor: {} columns of attributes but {} targets", X.n_cols, y.n_elem);
  if (!X.is_finite() || !y.is_finite())
    user_error("LocalPredictor: attributes and targets must be finite numbers");
}

FitReport report_of(const Centre& centre, const FitResult& result) {
  FitReport report{.best_epoch = result.best_epoch,
                   .epochs_tried = result.epochs_tried,
                   .steps = result.steps,
                   .validation_scores = result.validation_scores,
                   .adaptation = result.score->adaptation(),
                   .stages = result.stages,
                   .chosen = result.chosen};
  if (const auto* knn = std::get_if<KnnRegressor>(&centre)) report.neighbours = knn->k();
  if (const auto* boosted = std::get_if<BoostedTrees>(&centre)) report.trees = boosted->trees().size();
  if (const auto* mlp = std::get_if<MlpRegressor>(&centre)) report.centre_epochs = mlp->epochs();
  return report;
}

/// Of these rows.
std::vector<std::size_t> groups_of(const std::vector<arma::uword>& rows,
                                   const std::vector<std::size_t>& groups) {
  std::vector<std::size_t> some;
  for (const arma::uword row : rows)
    if (!groups.empty()) some.push_back(groups[row]);
  return some;
}

/// What fits of several folds chose: most often, or on average.
FitReport joined(const std::vector<FitReport>& reports) {
  FitReport all = reports.front();
  all.calibrating.clear(), all.out_of_folds.reset();
  std::vector<double> trees;
  std::map<std::string, std::size_t> chosen;
  for (const FitReport& report : reports) {
    trees.push_back(static_cast<double>(report.trees));
    ++chosen[report.chosen];
    if (report.adaptation != all.adaptation) all.adaptation.reset();
    all.calibrating.insert(all.calibrating.end(), report.calibrating.begin(), report.calibrating.end());
    all.out_of_folds = arma::join_cols(all.out_of_folds, report.out_of_folds);
  }
  all.trees = static_cast<std::size_t>(std::llround(mean_of(trees)));
  all.chosen = std::ranges::max_element(chosen, {}, [](const auto& pair) { return pair.second; })->first;
  for (StageScore& stage : all.stages) {
    std::vector<double> scores;
    for (const FitReport& report : reports)
      for (const StageScore& of_fold : report.stages)
        if (of_fold.method == stage.method) scores.push_back(of_fold.score);
    stage.score = mean_of(scores);
  }
  return all;
}

}  // namespace

PredictorSettings PredictorSettings::recommended() {
  PredictorSettings settings{.method = "auto", .cross_fit = 5};
  settings.centre.kind = CentreKind::boosted;
  settings.centre.boosted.rounds = 400;
  settings.centre.boosted.choose_once = true;
  settings.training.selection.level = Level(0.1);  // at 0.05 methods that choose epochs by size need 240 rows
  return settings;
}

std::optional<SettingProblem> find_problem(const PredictorSettings& settings) {
  auto split = find_problem(shares(settings));
  if (split && split->key == "test") split->key = "calibration";
  if (split) return split;
  const auto once = [&](const Level& level) { return std::ranges::count(settings.levels, level) == 1; };
  return SettingCheck()
      .part("centre", find_problem(settings.centre))
      .that("cross_fit", settings.cross_fit != 1, "found 1; expected 0, or at least 2 folds")
      .that("calibration_folds", settings.calibration_folds != 1, "found 1; expected 0, or at least 2 folds")
      .that("calibration_folds", settings.calibration_folds == 0 || settings.cross_fit != 0,
            "is for fits with cross_fit; expected 0, or a cross_fit of at least 2")
      .part("transformation", find_problem(settings.transformation))
      .part("network", find_problem(settings.network))
      .part("training", find_problem(settings.training))
      .part("rows", find_problem(settings.rows))
      .that("levels", !settings.levels.empty(), "found none; expected at least one")
      .that("levels", std::ranges::all_of(settings.levels, once), "found one twice; expected each once")
      .problem();
}

bool calibrates_by_folds(const Method& method, Sides sides) {
  return sides == Sides::both && method.promise == &promise_of_rank;
}

LocalPredictor::LocalPredictor(Parts parts) {
  for (Fold& fold : parts.folds) fold.calibration.prepared = fold.score->prepare(fold.calibration);
  parts_ = std::make_shared<Parts>(std::move(parts));
}

const FitReport& LocalPredictor::report() const { return parts_->report; }
const Centre& LocalPredictor::centre() const { return parts_->folds.front().centre; }
const FittedScore& LocalPredictor::score() const { return *parts_->folds.front().score; }
const Scaling& LocalPredictor::scaling() const { return parts_->folds.front().scaling; }
std::size_t LocalPredictor::attributes() const { return scaling().mean.n_elem; }
std::size_t LocalPredictor::folds() const { return parts_->folds.size(); }
std::span<const Level> LocalPredictor::levels() const {
  const auto& folds = parts_->folds;
  const auto some =
      std::ranges::find_if(folds, [](const Fold& fold) { return !fold.score->levels().empty(); });
  return some == folds.end() ? std::span<const Level>() : some->score->levels();
}
std::size_t LocalPredictor::calibration_size() const {
  std::size_t n = 0;
  for (const Fold& fold : parts_->folds) n += fold.calibration.scores.front().n_elem;
  return n;
}

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings,
                                   const std::function<void(const EpochReport&)>& on_epoch) {
  const StandardArithmetic arithmetic;
  refuse("settings", find_problem(settings));
  require_finite(X, y);
  if (settings.calibration_folds == 0) return fit(X, y, split_of_fit(X, y, settings), settings, on_epoch);
  const Method& method = find_method(settings.method);
  if (!calibrates_by_folds(method, settings.sides))
    user_error(
        "settings.calibration_folds: needs a method with one quantile for all points, and sides: both; {} does not have that; expected 0",
        method.name);
  const std::vector<Split> splits = folds_of_fit(X, y, settings);
  std::vector<std::optional<LocalPredictor>> fitted(splits.size());
  std::vector<std::function<void()>> tasks;
  PredictorSettings own = settings;
  own.jobs = 1;
  for (std::size_t k = 0; k < splits.size(); ++k)
    tasks.emplace_back([&, k] { fitted[k] = fit(X, y, splits[k], own); });
  do_all(tasks, settings.jobs);
  Parts parts{.method = method.name, .sides = settings.sides, .folds = {}};
  std::vector<FitReport> reports;
  for (std::size_t k = 0; k < splits.size(); ++k) {
    const Fold& fold = parts.folds.emplace_back(fitted[k]->parts_->folds.front());
    FitReport& report = reports.emplace_back(fitted[k]->report());
    report.calibrating = splits[k].test;
    report.out_of_folds =
        fold.scaling.target *
        lacp::predict(fold.centre, fold.scaling.attributes(X.cols(arma::uvec(splits[k].test))));
  }
  parts.report = joined(reports);
  return LocalPredictor(std::move(parts));
}

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y, const Split& split,
                                   const PredictorSettings& settings,
                                   const std::function<void(const EpochReport&)>& on_epoch) {
  refuse("settings", find_problem(settings));
  const Method& method = find_method(settings.method);
  refuse("settings", SettingCheck().part("training", find_problem(method, settings.training)).problem());
  require_finite(X, y);
  const auto stream = [&](std::string_view purpose) {
    return Stream(
        {.seed = settings.seed, .dataset = "", .run = 0, .method = settings.method, .purpose = purpose});
  };
  TrainingOptions training = settings.training;
  training.selection.levels = settings.levels;
  training.selection.sides = settings.sides;
  if (settings.sides == Sides::each && !method.scale_family)
    user_error(
        "settings: sides: each is for methods whose intervals are f ± q·s(x); {} is none of them; expected both, or such a method: adapt, for example",
        method.name);
  const CentredParts parts =
      centre_parts(X, y, split,
                   {.centre = settings.centre,
                    .cross_fit = settings.cross_fit,
                    .groups = groups_of(split.train, settings.groups),
                    .errors = learns_from_errors(method),
                    .jobs = settings.jobs},
                   [&](std::string_view purpose) { return shared_stream(settings, purpose); });
  const arma::mat no_points(X.n_rows, 0);
  const arma::vec no_targets;
  const FitResult result =
      method.fit(method, {.X_first = settings.cross_fit == 0 ? parts.first.X : no_points,
                          .y_first = settings.cross_fit == 0 ? parts.first.y : no_targets,
                          .X = parts.second.X,
                          .y = parts.second.y,
                          .f = parts.second.f,
                          .levels = settings.levels,
                          .transformation = settings.transformation,
                          .network = settings.network,
                          .training = training,
                          .rows = settings.rows,
                          .stream = stream,
                          .on_epoch = on_epoch,
                          .jobs = settings.jobs});
  if (result.failure) throw TrainingError(*result.failure);
  const std::shared_ptr<const FittedScore> score = with_sides(result.score, method, settings.sides);
  Calibration scores = score->calibration(score->local(parts.third.X), parts.third.f, parts.third.y);
  if (scores.has_nan())
    run_error("LocalPredictor: the scores of the calibration part are not numbers; is a row far out?");
  FitReport report = report_of(parts.centre, result);
  if (settings.cross_fit != 0 && learns_from_errors(method))
    report.out_of_folds = parts.scaling.target * parts.second.f;
  return LocalPredictor(Parts{.method = method.name,
                              .sides = settings.sides,
                              .folds = {{.scaling = parts.scaling,
                                         .centre = parts.centre,
                                         .chosen = result.chosen,
                                         .score = score,
                                         .calibration = std::move(scores)}},
                              .report = std::move(report)});
}

}  // namespace lacp
