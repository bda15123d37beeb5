#include "lacp/conformal/predictor.hpp"

#include "lacp/base/error.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/data/split.hpp"

namespace lacp {
namespace {

/// log A = log (f − y)² of scaled data.
arma::vec log_scores(const KnnRegressor& knn, const arma::mat& X, const arma::vec& y) {
  return 2.0 * arma::log(arma::abs(knn.predict(X) - y));
}

void require_finite(const arma::mat& X, const arma::vec& y) {
  if (X.n_cols != y.n_elem)
    user_error("LocalPredictor: {} columns of attributes but {} targets", X.n_cols, y.n_elem);
  if (!X.is_finite() || !y.is_finite())
    user_error("LocalPredictor: attributes and targets must be finite numbers");
}

}  // namespace

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y,
                                   const PredictorSettings& settings) {
  require_finite(X, y);
  const auto stream = [&](std::string_view purpose) {
    return Stream(
        {.seed = settings.seed, .dataset = "", .run = 0, .method = settings.method, .purpose = purpose});
  };
  Stream split_stream = stream("split"), knn_stream = stream("knn");
  const Split split =
      split_rows(X.n_cols, {.proper = settings.proper, .train = settings.train, .test = settings.calibration},
                 split_stream);
  const arma::uvec proper(split.proper), train_rows(split.train), calibration(split.test);

  LocalPredictor predictor;
  predictor.scaling_ = Scaling::fit(X.cols(proper), y(proper));
  const arma::mat Xs = predictor.scaling_.attributes(X);
  const arma::vec ys = predictor.scaling_.targets(y);
  predictor.knn_ = KnnRegressor::fit(Xs.cols(proper), ys(proper), settings.knn, knn_stream);
  TrainingResult result =
      train(find_method(settings.method), settings.transformation, settings.network, settings.training,
            Xs.cols(train_rows), log_scores(predictor.knn_, Xs.cols(train_rows), ys(train_rows)),
            {stream("weights"), stream("shuffle"), stream("validation")});
  if (result.failure) throw RunError(result.failure->what());
  predictor.localizer_ = std::move(result.localizer);
  predictor.calibration_ = predictor.localizer_.scores(
      Xs.cols(calibration), log_scores(predictor.knn_, Xs.cols(calibration), ys(calibration)));
  return predictor;
}

Intervals LocalPredictor::predict(const arma::mat& X, const Level& level) const {
  if (X.n_rows != scaling_.mean.n_elem)
    user_error("LocalPredictor: {} attributes; the model was fitted on {}", X.n_rows, scaling_.mean.n_elem);
  if (!X.is_finite()) user_error("LocalPredictor: attributes must be finite numbers");
  const arma::mat Xs = scaling_.attributes(X);
  arma::vec q(X.n_cols);
  q.fill(calibrate(calibration_, level));
  Intervals intervals{.f = scaling_.target * knn_.predict(Xs), .half_width = localizer_.half_widths(Xs, q)};
  intervals.half_width.transform([&](double w) { return w < 0.0 ? w : scaling_.target * w; });
  return intervals;
}

}  // namespace lacp
