#include "lacp/conformal/predictor.hpp"

#include <cmath>
#include <limits>

#include "lacp/base/error.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/data/split.hpp"

namespace lacp {
namespace {

/// log A = log (f − y)² of scaled data.
arma::vec log_scores(const KnnRegressor& knn, const arma::mat& X, const arma::vec& y) {
  return lacp::log_scores(arma::abs(knn.predict(X) - y));
}

/// The first column that holds anything other than a finite float, if any.
std::optional<arma::uword> first_beyond_float(const arma::mat& X) {
  constexpr double largest = std::numeric_limits<float>::max();
  for (arma::uword i = 0; i < X.n_elem; ++i)
    if (!(std::abs(X(i)) <= largest)) return i / X.n_rows;
  return std::nullopt;
}

void require_finite(const arma::mat& X, const arma::vec& y) {
  if (X.n_cols != y.n_elem)
    user_error("LocalPredictor: {} columns of attributes but {} targets", X.n_cols, y.n_elem);
  if (!X.is_finite() || !y.is_finite())
    user_error("LocalPredictor: attributes and targets must be finite numbers");
}

}  // namespace

std::optional<SettingProblem> find_problem(const PredictorSettings& settings) {
  auto split = find_problem(
      SplitOptions{.proper = settings.proper, .train = settings.train, .test = settings.calibration});
  if (split && split->key == "test") split->key = "calibration";
  if (split) return split;
  return SettingCheck()
      .part("knn", find_problem(settings.knn))
      .part("transformation", find_problem(settings.transformation))
      .part("network", find_problem(settings.network))
      .part("training", find_problem(settings.training))
      .problem();
}

LocalPredictor::LocalPredictor(Scaling scaling, KnnRegressor knn, Localizer localizer, arma::vec calibration)
    : scaling_(std::move(scaling)),
      knn_(std::move(knn)),
      localizer_(std::move(localizer)),
      calibration_(std::move(calibration)) {}

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y,
                                   const PredictorSettings& settings) {
  refuse("settings", find_problem(settings));
  const Method& method = find_method(settings.method);
  require_finite(X, y);
  const auto shared = [&](std::string_view purpose) {
    return Stream({.seed = settings.seed, .dataset = "", .run = 0, .method = "", .purpose = purpose});
  };
  const auto stream = [&](std::string_view purpose) {
    return Stream(
        {.seed = settings.seed, .dataset = "", .run = 0, .method = settings.method, .purpose = purpose});
  };
  Stream split_stream = shared("split"), knn_stream = shared("knn");
  const Split split =
      split_rows(X.n_cols, {.proper = settings.proper, .train = settings.train, .test = settings.calibration},
                 split_stream);
  const arma::uvec proper(split.proper), train_rows(split.train), calibration(split.test);

  const Scaling scaling = Scaling::fit(X.cols(proper), y(proper));
  const arma::mat Xs = scaling.attributes(X);
  const arma::vec ys = scaling.targets(y);
  const KnnRegressor knn = KnnRegressor::fit(Xs.cols(proper), ys(proper), settings.knn, knn_stream);
  const TrainingResult result =
      train(method, settings.transformation, settings.network, settings.training, Xs.cols(train_rows),
            log_scores(knn, Xs.cols(train_rows), ys(train_rows)),
            {stream("weights"), stream("shuffle"), stream("validation")});
  if (result.failure) throw RunError(result.failure->what());
  const arma::vec scores =
      result.localizer.scores(Xs.cols(calibration), log_scores(knn, Xs.cols(calibration), ys(calibration)));
  if (scores.has_nan())
    run_error("LocalPredictor: the scores of the calibration part are not numbers; is a row far out?");
  return LocalPredictor(scaling, knn, result.localizer, scores);
}

Intervals LocalPredictor::predict(const arma::mat& X, const Level& level) const {
  if (X.n_rows != scaling_.mean.n_elem)
    user_error("LocalPredictor: {} attributes; the model was fitted on {}", X.n_rows, scaling_.mean.n_elem);
  if (!X.is_finite()) user_error("LocalPredictor: attributes must be finite numbers");
  const arma::mat Xs = scaling_.attributes(X);
  const auto refuse_query = [](arma::uword n) {
    user_error(
        "LocalPredictor: query {} (from 0) lies too far from the data of the fit for the network to have a value there; leave it out",
        n);
  };
  if (const auto n = first_beyond_float(Xs)) refuse_query(*n);
  const arma::mat g = localizer_.g(Xs);
  if (const auto n = first_beyond_float(g)) refuse_query(*n);
  arma::vec q(X.n_cols);
  q.fill(calibrate(calibration_, level));
  Intervals intervals{.f = scaling_.target * knn_.predict(Xs), .half_width = {}};
  localizer_.method.half_widths(localizer_.transformation, q, g, localizer_.shared, intervals.half_width);
  intervals.half_width.transform([&](double w) { return w < 0.0 ? w : scaling_.target * w; });
  return intervals;
}

}  // namespace lacp
