#include "lacp/model/mlp_regressor.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/model/trainer.hpp"

namespace lacp {
namespace {

using Rows = std::vector<arma::uword>;

/// Mean of (g − y)², in float, as the network has its numbers.
double squared_loss(const arma::vec& y, const arma::mat& g, const arma::vec&, arma::mat& by_g, arma::vec&) {
  double sum = 0.0;
  for (arma::uword n = 0; n < y.n_elem; ++n) {
    const float miss = static_cast<float>(g(0, n)) - static_cast<float>(y(n));
    by_g(0, n) = double{2.0f * miss / static_cast<float>(y.n_elem)};
    sum += double{miss} * miss;
  }
  return sum / static_cast<double>(y.n_elem);
}

void train_epoch(Session& session) {
  if (!session.epoch().taken() || session.bad_parameter())
    run_error(
        "mlp: the training of the point prediction diverged; scale the attributes, or take another kind of it");
}

/// Epochs on the rows `fitted` with the smallest error on the rows `held`.
std::size_t best_epochs(Session session, const MlpRegressorOptions& options, const arma::fmat& X,
                        const arma::vec& y) {
  std::size_t best = 1;
  double smallest = arma::datum::inf;
  for (std::size_t epoch = 1; epoch <= options.epochs && epoch - best <= options.patience; ++epoch) {
    train_epoch(session);
    const Mlp& net = session.trainer().net();
    const arma::fmat f = evaluate(net.shape(), net.parameters(), X);
    double squares = 0.0;
    for (arma::uword n = 0; n < y.n_elem; ++n) squares += (double{f(0, n)} - y(n)) * (double{f(0, n)} - y(n));
    if (squares < smallest) smallest = squares, best = epoch;
  }
  return best;
}

}  // namespace

std::size_t held_out_points(std::size_t n, const MlpRegressorOptions& options) {
  const auto held = static_cast<std::size_t>(options.validation_share * static_cast<double>(n));
  if (held == 0 || held == n)
    user_error("mlp: {} cannot be divided into a fitted and a held-out part", counted(n, "point"));
  return held;
}

MlpRegressor MlpRegressor::fit(const arma::mat& X, const arma::vec& y, const MlpRegressorOptions& options,
                               Stream& stream, const Groups& groups) {
  refuse("mlp", check_of(options));
  const std::size_t n = y.n_elem;
  if (X.n_cols != n)
    throw std::invalid_argument(fmt::format("MlpRegressor: {} points but {} targets", X.n_cols, n));
  const std::size_t held = held_out_points(n, options);
  const double mean = mean_of(y), spread = deviation_of(y), deviation = spread > 0.0 ? spread : 1.0;
  const arma::fmat Xf = arma::conv_to<arma::fmat>::from(X);
  const arma::vec yf =
      arma::conv_to<arma::vec>::from(arma::conv_to<arma::fvec>::from(arma::vec((y - mean) / deviation)));
  const MlpShape shape{.inputs = X.n_rows, .hidden = options.hidden};

  const auto session = [&](Rows rows) {
    return Session(Trainer(shape, squared_loss, options.adam, options.batch), {.batch = options.batch}, Xf,
                   yf, std::move(rows), stream, stream);
  };

  const TwoParts parts = divide_rows(n, held, groups, stream);
  const arma::uvec held_out(Rows(parts.first.begin(), parts.first.end()));
  const std::size_t epochs = best_epochs(session(Rows(parts.second.begin(), parts.second.end())), options,
                                         Xf.cols(held_out), yf(held_out));
  Rows every(n);
  std::iota(every.begin(), every.end(), arma::uword{0});
  Session all = session(std::move(every));
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) train_epoch(all);
  MlpRegressor model(shape, all.trainer().net().parameters(), mean, deviation);
  model.epochs_ = epochs;
  return model;
}

MlpRegressor MlpRegressor::train(const arma::mat& X, const arma::vec& y, const MlpRegressorOptions& options,
                                 Stream& stream) {
  const std::size_t n = y.n_elem;
  const double mean = mean_of(y), spread = deviation_of(y), deviation = spread > 0.0 ? spread : 1.0;
  const arma::fmat Xf = arma::conv_to<arma::fmat>::from(X);
  const arma::vec yf = (y - mean) / deviation;
  const MlpShape shape{.inputs = X.n_rows, .hidden = options.hidden};
  Rows every(n);
  std::iota(every.begin(), every.end(), arma::uword{0});
  Session session(Trainer(shape, squared_loss, options.adam, options.batch), {.batch = options.batch}, Xf, yf,
                  std::move(every), stream, stream);
  for (std::size_t epoch = 0; epoch < options.epochs; ++epoch) {
    const double done = static_cast<double>(epoch) / static_cast<double>(options.epochs);
    session.trainer().set_learning_rate(options.adam.learning_rate * (1.0 - done * done));
    train_epoch(session);
  }
  MlpRegressor model(shape, session.trainer().net().parameters(), mean, deviation);
  model.epochs_ = options.epochs;
  return model;
}

MlpRegressor::MlpRegressor(MlpShape shape, arma::fvec parameters, double mean, double deviation)
    : shape_(std::move(shape)), parameters_(std::move(parameters)), mean_(mean), deviation_(deviation) {}

arma::vec MlpRegressor::predict(const arma::mat& X) const {
  const arma::fmat g = evaluate(shape_, parameters_, arma::conv_to<arma::fmat>::from(X));
  arma::vec f(X.n_cols);
  for (arma::uword n = 0; n < X.n_cols; ++n) f(n) = mean_ + deviation_ * double{g(0, n)};
  return f;
}

}  // namespace lacp
