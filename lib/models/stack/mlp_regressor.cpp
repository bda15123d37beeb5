#include "models/stack/mlp_regressor.hpp"

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/network/trainer.hpp"

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
    run_error("mlp: the training of the point prediction diverged; take another kind of it");
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
    if (squares < smallest) {
      smallest = squares;
      best = epoch;
    }
  }
  return best;
}

}  // namespace

/// Points and targets as the network has them, the latter standardised and in float.
struct PreparedTraining {
  const MlpRegressorOptions& options;
  Stream& stream;
  MlpShape shape;
  double mean, deviation;
  arma::fmat X;
  arma::vec y = {};

  PreparedTraining(arma::fmat points, const arma::vec& targets, const MlpRegressorOptions& chosen,
                   Stream& drawn)
      : options(chosen),
        stream(drawn),
        shape{.inputs = points.n_rows, .hidden = chosen.hidden},
        mean(mean_of(targets)),
        deviation(deviation_of(targets)),
        X(std::move(points)) {
    if (!(deviation > 0.0)) deviation = 1.0;
    y = arma::conv_to<arma::vec>::from(
        arma::conv_to<arma::fvec>::from(arma::vec((targets - mean) / deviation)));
  }

  Session session(Rows rows) const {
    return Session(Trainer(shape, squared_loss, options.adam, options.batch), {.batch = options.batch}, X, y,
                   std::move(rows), stream, stream);
  }

  Session of_all_points() const {
    Rows every(y.n_elem);
    std::iota(every.begin(), every.end(), arma::uword{0});
    return session(std::move(every));
  }

  MlpRegressor model(Session& session, std::size_t epochs) const {
    return {shape, session.trainer().net().parameters(), mean, deviation, epochs};
  }
};

MlpRegressor MlpRegressor::fit(const arma::mat& X, const arma::vec& y, const MlpRegressorOptions& options,
                               Stream& stream, const Groups& groups) {
  refuse("mlp", check_of(options));
  const std::size_t n = y.n_elem;
  if (X.n_cols != n) throw std::invalid_argument("MlpRegressor: wrong sizes");
  const auto held = static_cast<std::size_t>(options.validation_share * static_cast<double>(n));
  if (held == 0 || held == n) user_error("mlp: {} cannot be divided", counted(n, "point"));
  const PreparedTraining training(arma::conv_to<arma::fmat>::from(X), y, options, stream);
  const TwoParts parts = divide_rows(n, held, groups, stream);
  const arma::uvec held_out(parts.first);
  const std::size_t epochs =
      best_epochs(training.session(parts.second), options, training.X.cols(held_out), training.y(held_out));
  Session all = training.of_all_points();
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) train_epoch(all);
  return training.model(all, epochs);
}

struct MlpTraining::State {
  State(arma::fmat X, const arma::vec& y, const MlpRegressorOptions& chosen, Stream drawn)
      : options(chosen),
        stream(std::move(drawn)),
        training(std::move(X), y, options, stream),
        session(training.of_all_points()) {}

  MlpRegressorOptions options;
  Stream stream;
  PreparedTraining training;
  Session session;
  std::size_t epochs = 0;
};

MlpTraining::MlpTraining(arma::fmat X, const arma::vec& y, const MlpRegressorOptions& options, Stream stream)
    : state_(std::make_unique<State>(std::move(X), y, options, std::move(stream))) {}

MlpTraining::~MlpTraining() = default;

void MlpTraining::train_to(std::size_t epochs) {
  const std::size_t begin = state_->epochs;
  for (std::size_t& epoch = state_->epochs; epoch < epochs; ++epoch) {
    const double done = static_cast<double>(epoch - begin) / static_cast<double>(epochs - begin);
    state_->session.trainer().set_learning_rate(state_->options.adam.learning_rate * (1.0 - done * done));
    train_epoch(state_->session);
  }
}

MlpRegressor MlpTraining::model() const { return state_->training.model(state_->session, state_->epochs); }

arma::vec MlpRegressor::predict(const arma::mat& X) const {
  const arma::fmat g = evaluate(shape, parameters, arma::conv_to<arma::fmat>::from(X));
  arma::vec f(X.n_cols);
  for (arma::uword n = 0; n < X.n_cols; ++n) f(n) = mean + deviation * double{g(0, n)};
  return f;
}

}  // namespace lacp
