#include "lacp/network/trainer.hpp"

#include <algorithm>

namespace lacp {
namespace {

/// A matrix over memory that is allocated already.
template <class T>
arma::Mat<T> matrix_over(arma::Col<T>& memory, std::size_t rows, std::size_t columns) {
  return arma::Mat<T>(memory.memptr(), rows, columns, /*copy_aux_mem=*/false, /*strict=*/true);
}

}  // namespace

Trainer::Trainer(const MlpShape& shape, BatchLoss loss, const AdamOptions& adam, std::size_t largest_batch,
                 const std::vector<double>& shared, bool divide_by_origin)
    : loss_(std::move(loss)),
      divide_by_origin_(divide_by_origin),
      net_(shape, largest_batch + 1),
      optimiser_(adam, net_.parameters().n_elem),
      shared_optimiser_(adam, shared.size()),
      shared_(shared),
      shared_gradient_(shared.size(), arma::fill::zeros),
      inputs_(shape.inputs * (largest_batch + 1)),
      net_gradient_(shape.outputs * (largest_batch + 1)),
      targets_(largest_batch),
      g_(shape.outputs * largest_batch),
      g_gradient_(shape.outputs * largest_batch) {}

arma::fmat Trainer::by_outputs() {
  return matrix_over(net_gradient_, net_.shape().outputs, batch_ + (divide_by_origin_ ? 1 : 0));
}

double Trainer::differentiate(const arma::fmat& X, const arma::vec& targets,
                              std::span<const arma::uword> rows) {
  batch_ = rows.size();
  arma::fmat by_net = by_outputs();  // of the points, then of the origin
  arma::fmat inputs = matrix_over(inputs_, X.n_rows, by_net.n_cols);
  arma::vec batch_targets(targets_.memptr(), batch_, false, true);
  for (std::size_t n = 0; n < batch_; ++n) {
    std::copy_n(X.colptr(rows[n]), X.n_rows, inputs.colptr(n));
    batch_targets(n) = targets(rows[n]);
  }
  if (divide_by_origin_) std::fill_n(inputs.colptr(batch_), X.n_rows, 0.0f);

  const std::size_t outputs = net_.shape().outputs;
  const arma::fmat net_outputs = net_.forward(inputs);
  arma::mat g = matrix_over(g_, outputs, batch_), by_g = matrix_over(g_gradient_, outputs, batch_);
  const auto divisor = [&](std::size_t k) {
    return divide_by_origin_ ? double{net_outputs(k, batch_)} : 1.0;
  };
  for (std::size_t n = 0; n < batch_; ++n)
    for (std::size_t k = 0; k < outputs; ++k) g(k, n) = double{net_outputs(k, n)} / divisor(k);
  if (!g.is_finite())
    return g.has_nan() ? arma::datum::nan : arma::datum::inf;  // diverged: no loss to speak of

  const double loss = loss_(batch_targets, g, shared_, by_g, shared_gradient_);

  for (std::size_t k = 0; k < outputs; ++k) {
    double by_origin = 0.0;  // d(g_n / g_0)/dg_0 = −(g_n / g_0) / g_0
    for (std::size_t n = 0; n < batch_; ++n) {
      by_net(k, n) = static_cast<float>(by_g(k, n) / divisor(k));
      by_origin -= by_g(k, n) * g(k, n) / divisor(k);
    }
    if (divide_by_origin_) by_net(k, batch_) = static_cast<float>(by_origin);
  }
  return loss;
}

StepResult Trainer::step(const arma::fmat& X, const arma::vec& targets, std::span<const arma::uword> rows) {
  StepResult result{.loss = differentiate(X, targets, rows)};
  if (!std::isfinite(result.loss)) return result;
  if (const auto unusable = net_.descend(by_outputs(), optimiser_)) result.gradient = double{*unusable};
  if (const auto unusable = shared_optimiser_.step(shared_, shared_gradient_)) result.gradient = *unusable;
  return result;
}

Session::Session(Trainer trainer, const BatchOptions& options, const arma::fmat& X, const arma::vec& targets,
                 std::vector<arma::uword> rows, Stream& weights, Stream& order)
    : trainer_(std::move(trainer)),
      options_(options),
      X_(X),
      targets_(targets),
      rows_(std::move(rows)),
      order_(order) {
  trainer_.initialise(weights);
}

StepResult Session::epoch() {
  if (options_.shuffle) order_.shuffle(std::span(rows_));
  double sum = 0.0;
  std::size_t batches = 0;
  for (std::size_t first = 0; first < rows_.size(); first += options_.batch) {
    const std::size_t size = std::min(options_.batch, rows_.size() - first);
    if (size < options_.fewest) continue;
    const StepResult step = trainer_.step(X_, targets_, std::span(rows_).subspan(first, size));
    if (!step.taken()) return step;
    sum += step.loss;
    ++batches;
  }
  steps_ += batches;
  return {.loss = sum / static_cast<double>(batches)};
}

std::optional<double> Session::bad_parameter() {
  for (const float value : trainer_.net().parameters())
    if (!std::isfinite(value)) return value;
  for (const double value : trainer_.shared())
    if (!std::isfinite(value)) return value;
  return std::nullopt;
}

}  // namespace lacp
