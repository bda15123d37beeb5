#include "lacp/conformal/training/trainer.hpp"

#include <algorithm>
#include <cmath>

namespace lacp {
namespace {

/// A matrix over memory that is allocated already.
template <class T>
arma::Mat<T> matrix_over(arma::Col<T>& memory, std::size_t rows, std::size_t columns) {
  return arma::Mat<T>(memory.memptr(), rows, columns, /*copy_aux_mem=*/false, /*strict=*/true);
}

MlpShape shape_of(const Method& method, const NetworkOptions& network, std::size_t inputs) {
  return {.inputs = inputs,
          .hidden = network.hidden,
          .outputs = method.outputs,
          .linear_first = network.linear_first};
}

}  // namespace

Trainer::Trainer(const Method& method, const TransformationOptions& transformation,
                 const NetworkOptions& network, const ObjectiveOptions& objective, const AdamOptions& adam,
                 std::size_t inputs, std::size_t largest_batch)
    : method_(method),
      transformation_(transformation),
      objective_(objective),
      divide_by_origin_(network.divide_by_origin),
      net_(shape_of(method, network, inputs), largest_batch + 1),
      optimiser_(adam, net_.parameters().n_elem),
      shared_optimiser_(adam, method.shared),
      shared_(method.shared_start),
      shared_gradient_(method.shared, arma::fill::zeros),
      scratch_(largest_batch),
      inputs_(inputs * (largest_batch + 1)),
      net_gradient_(method.outputs * (largest_batch + 1)),
      scores_(largest_batch),
      g_(method.outputs * largest_batch),
      g_gradient_(method.outputs * largest_batch) {}

bool StepResult::taken() const { return std::isfinite(loss) && !gradient; }

double Trainer::evaluate(const arma::fmat& X, const arma::vec& log_a, std::span<const arma::uword> rows) {
  batch_ = rows.size();
  const std::size_t columns = batch_ + (divide_by_origin_ ? 1 : 0);  // the last one is the origin
  arma::fmat inputs = matrix_over(inputs_, X.n_rows, columns);
  arma::vec scores(scores_.memptr(), batch_, false, true);
  for (std::size_t n = 0; n < batch_; ++n) {
    std::copy_n(X.colptr(rows[n]), X.n_rows, inputs.colptr(n));
    scores(n) = log_a(rows[n]);
  }
  if (divide_by_origin_) std::fill_n(inputs.colptr(batch_), X.n_rows, 0.0f);

  const std::size_t outputs = method_.outputs;
  const arma::fmat net_outputs = net_.forward(inputs);
  arma::mat g = matrix_over(g_, outputs, batch_), by_g = matrix_over(g_gradient_, outputs, batch_);
  const auto divisor = [&](std::size_t k) {
    return divide_by_origin_ ? double{net_outputs(k, batch_)} : 1.0;
  };
  for (std::size_t n = 0; n < batch_; ++n)
    for (std::size_t k = 0; k < outputs; ++k) g(k, n) = double{net_outputs(k, n)} / divisor(k);
  if (!g.is_finite())
    return g.has_nan() ? arma::datum::nan : arma::datum::inf;  // diverged: no loss to speak of

  const double loss =
      method_.loss(transformation_, objective_, scores, g, shared_, by_g, shared_gradient_, scratch_);

  arma::fmat by_net = matrix_over(net_gradient_, outputs, columns);
  for (std::size_t k = 0; k < outputs; ++k) {
    double by_origin = 0.0;  // d(g_n / g_0)/dg_0 = −(g_n / g_0) / g_0
    for (std::size_t n = 0; n < batch_; ++n) {
      by_net(k, n) = static_cast<float>(by_g(k, n) / divisor(k));
      by_origin -= by_g(k, n) * g(k, n) / divisor(k);
    }
    if (divide_by_origin_) by_net(k, batch_) = static_cast<float>(by_origin);
  }
  net_.backward(by_net);
  return loss;
}

StepResult Trainer::step(const arma::fmat& X, const arma::vec& log_a, std::span<const arma::uword> rows) {
  StepResult result{.loss = evaluate(X, log_a, rows)};
  if (!std::isfinite(result.loss)) return result;
  if (const auto unusable = optimiser_.step(net_.parameters(), net_.gradient()))
    result.gradient = double{*unusable};
  if (const auto unusable = shared_optimiser_.step(shared_, shared_gradient_)) result.gradient = *unusable;
  return result;
}

arma::mat Trainer::output_gradient() const {
  return arma::mat(g_gradient_.memptr(), method_.outputs, batch_);
}

}  // namespace lacp
