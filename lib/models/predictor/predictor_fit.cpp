// How a model is fitted.

#include <map>

#include "lacp/base/error.hpp"
#include "lacp/training/fit_localizer.hpp"
#include "models/predictor/predictor_state.hpp"

namespace lacp {
namespace {

void require_rows(const arma::mat& X, const arma::vec& y) {
  if (X.n_cols != y.n_elem || X.empty() || !X.is_finite() || !y.is_finite())
    user_error("LocalPredictor: {} attributes and {} rows, {} targets; expected finite numbers", X.n_rows,
               X.n_cols, y.n_elem);
}

void require_split(const FitSplit& rows, const arma::mat& X) {
  const Split& split = rows.split;
  if (split.proper.empty() || split.test.empty()) user_error("FitSplit: a part has no rows");
  for (const auto* part : {&split.proper, &split.train, &split.test})
    for (const arma::uword row : *part)
      if (row >= X.n_cols) user_error("FitSplit: no row {}", row);
}

/// Where the rows that calibrate stand among those that train. UserError if one of them does not.
std::vector<std::uint32_t> places_in(const std::vector<arma::uword>& training,
                                     const std::vector<arma::uword>& calibrating) {
  std::map<arma::uword, std::uint32_t> place;
  for (const arma::uword row : training)
    if (!place.emplace(row, static_cast<std::uint32_t>(place.size())).second)
      user_error("FitSplit: row {} is in a part twice", row);
  std::vector<std::uint32_t> places;
  for (const arma::uword row : calibrating) {
    const auto found = place.find(row);
    if (found == place.end()) user_error("FitSplit: with every_row row {} has to train, too", row);
    places.push_back(found->second);
  }
  return places;
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
    report.weights = {weights.boosted, weights.network, weights.neighbours, weights.line};
    report.line_first = stack->line_first;
    if (!stack->networks.empty()) report.network_epochs = stack->networks.front().epochs;
    report.mapped = stack->map.has_value();
  }
  return report;
}

}  // namespace

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings,
                                   const std::function<void(const EpochReport&)>& on_epoch) {
  refuse("settings", check_of(settings));
  require_rows(X, y);
  return fit(X, y, split_of_fit(X, y, settings), settings, on_epoch);
}

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y, const FitSplit& rows,
                                   const PredictorSettings& settings,
                                   const std::function<void(const EpochReport&)>& on_epoch) {
  refuse("settings", check_of(settings));
  require_rows(X, y);
  if (settings.whole) require_whole(y, "settings.whole");
  require_groups(settings.groups, y.n_elem);
  for (const arma::uword attribute : settings.by)
    if (attribute >= X.n_rows) user_error("settings.by: found {}; expected 0 to {}", attribute, X.n_rows - 1);
  const Method& method = find_method(settings.method);
  if (settings.every_row && !method.every_row)
    user_error("settings.every_row: is not for {}; expected false", method.name);
  if (settings.sides == Sides::each && !has_distribution(method)) refuse_each_side("settings", method.name);
  require_split(rows, X);
  PredictorSettings own = settings;
  own.training.selection.levels = settings.levels;
  own.training.selection.sides = settings.sides;
  const Split& split = rows.split;
  std::vector<std::uint32_t> places;
  if (settings.every_row) places = places_in(split.train, split.test);
  CentredParts parts = centre_parts(X, y, split,
                                    {.centre = own.centre,
                                     .cross_fit = own.cross_fit,
                                     .every_row = own.every_row,
                                     .groups_first = groups_of(split.proper, own.groups),
                                     .groups = groups_of(split.train, own.groups),
                                     .errors = learns_from_errors(method),
                                     .jobs = own.jobs},
                                    [&](std::string_view purpose) { return stream_of(own, "", purpose); });
  if (settings.every_row) parts.third.f = parts.second.f.elem(arma::conv_to<arma::uvec>::from(places));
  if (settings.cross_fit != 0) parts.first = {};
  Centre centre = std::move(parts.centre);
  return fit_around(parts, std::move(centre), std::move(parts.third), std::move(places), rows, y, own,
                    on_epoch);
}

LocalPredictor LocalPredictor::fit(const CentredParts& parts, CentredPart calibrating, const arma::vec& y,
                                   const PredictorSettings& settings) {
  if (settings.whole) require_whole(y, "settings.whole");
  return fit_around(parts, parts.centre, std::move(calibrating), {}, {}, y, settings);
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
               .every_row = settings.every_row,
               .stream = [&](std::string_view purpose) { return stream_of(settings, method.name, purpose); },
               .on_epoch = on_epoch,
               .jobs = settings.jobs});
  if (result.failure) throw TrainingError(*result.failure);
  result.score = with_sides(result.score, method, settings.sides);
  return result;
}

LocalPredictor LocalPredictor::fit_around(const CentredParts& parts, Centre centre, CentredPart calibrating,
                                          std::vector<std::uint32_t> places, const FitSplit& split,
                                          const arma::vec& y, const PredictorSettings& settings,
                                          const std::function<void(const EpochReport&)>& on_epoch) {
  const FitResult result = fit_score(parts, settings, on_epoch);
  FitReport report = report_of(centre, result);
  if (settings.cross_fit != 0 && (settings.every_row || learns_from_errors(find_method(settings.method))))
    report.out_of_folds = parts.scaling.target * parts.second.f;
  report.repeated_rows = split.repeated;
  report.dropped_rows = split.dropped;
  State state{.method = find_method(settings.method).name,
              .sides = settings.sides,
              .whole = settings.whole,
              .scaling = parts.scaling,
              .centre = std::move(centre),
              .by = settings.by,
              .rows = std::move(calibrating),
              .places = std::move(places),
              .report = std::move(report),
              .grouped = !settings.groups.empty(),
              .least = y.min(),
              .largest = y.max()};
  state.arrived.assign(state.rows.y.n_elem, 0);
  state.calibrate(result.score, settings.jobs);
  return LocalPredictor(std::move(state));
}

}  // namespace lacp
