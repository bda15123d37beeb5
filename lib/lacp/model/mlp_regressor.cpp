#include "lacp/model/mlp_regressor.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/model/adam.hpp"

namespace lacp {
namespace {

using Rows = std::vector<arma::uword>;

/// One network in training on some of the points.
class Session {
 public:
  Session(const MlpShape& shape, const MlpRegressorOptions& options, const arma::fmat& X, const arma::fvec& y,
          Rows rows, Stream& stream)
      : options_(options),
        X_(X),
        y_(y),
        rows_(std::move(rows)),
        stream_(stream),
        net_(shape, options.batch),
        adam_(options.adam, net_.parameters().n_elem) {
    net_.initialise(stream);
  }

  void epoch() {
    stream_.shuffle(std::span(rows_));
    for (std::size_t first = 0; first < rows_.size(); first += options_.batch) {
      const std::size_t size = std::min(options_.batch, rows_.size() - first);
      inputs_.set_size(X_.n_rows, size);
      gradient_.set_size(1, size);
      for (std::size_t n = 0; n < size; ++n)
        std::copy_n(X_.colptr(rows_[first + n]), X_.n_rows, inputs_.colptr(n));
      const arma::fmat g = net_.forward(inputs_);
      for (std::size_t n = 0; n < size; ++n)
        gradient_(0, n) = 2.0f * (g(0, n) - y_(rows_[first + n])) / static_cast<float>(size);
      net_.backward(gradient_);
      if (adam_.step(net_.parameters(), net_.gradient()) || !net_.parameters().is_finite())
        run_error(
            "mlp: the training of the point prediction diverged; scale the attributes, or take another predictor.kind");
    }
  }

  const Mlp& net() const { return net_; }

 private:
  const MlpRegressorOptions& options_;
  const arma::fmat& X_;
  const arma::fvec& y_;
  Rows rows_;
  Stream& stream_;
  Mlp net_;
  Adam<float> adam_;
  arma::fmat inputs_, gradient_;
};

/// Epochs on the rows `fitted` with the smallest error on the rows `held`.
std::size_t best_epochs(Session session, const MlpRegressorOptions& options, const arma::fmat& X,
                        const arma::fvec& y) {
  std::size_t best = 1;
  double smallest = arma::datum::inf;
  for (std::size_t epoch = 1; epoch <= options.epochs && epoch - best <= options.patience; ++epoch) {
    session.epoch();
    const arma::fmat f = evaluate(session.net().shape(), session.net().parameters(), X);
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
                               Stream& stream) {
  refuse("mlp", find_problem(options));
  const std::size_t n = y.n_elem;
  if (X.n_cols != n)
    throw std::invalid_argument(fmt::format("MlpRegressor: {} points but {} targets", X.n_cols, n));
  const std::size_t held = held_out_points(n, options);
  const double mean = mean_of(y), spread = deviation_of(y), deviation = spread > 0.0 ? spread : 1.0;
  const arma::fmat Xf = arma::conv_to<arma::fmat>::from(X);
  const arma::fvec yf = arma::conv_to<arma::fvec>::from(arma::vec((y - mean) / deviation));
  const MlpShape shape{.inputs = X.n_rows, .hidden = options.hidden};

  Rows order = stream.permutation<arma::uword>(n);
  const auto cut = order.begin() + static_cast<std::ptrdiff_t>(held);
  const arma::uvec held_out(Rows(order.begin(), cut));
  const std::size_t epochs = best_epochs(Session(shape, options, Xf, yf, Rows(cut, order.end()), stream),
                                         options, Xf.cols(held_out), yf(held_out));
  std::iota(order.begin(), order.end(), arma::uword{0});
  Session all(shape, options, Xf, yf, std::move(order), stream);
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) all.epoch();
  MlpRegressor model(shape, all.net().parameters(), mean, deviation);
  model.epochs_ = epochs;
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
