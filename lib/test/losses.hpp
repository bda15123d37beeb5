#pragma once

#include <algorithm>

#include "lacp/base/random.hpp"
#include "lacp/classes/objective.hpp"
#include "lacp/classes/transformation_class.hpp"
#include "near.hpp"

namespace lacp {

inline const TransformationOptions with_gamma{.gamma = 0.05};

/// Where the loss of a class is looked at: a batch of log A and g(x), and the shared parameters.
struct LossPoint {
  arma::vec log_a;
  arma::mat g;
  arma::vec v;
};

inline LossPoint draw_point(const TransformationClass& method, std::size_t batch, double g_size,
                            double v_size, Stream& stream) {
  LossPoint point{arma::vec(batch), arma::mat(method.outputs, batch), arma::vec(method.shared_start.size())};
  for (double& value : point.log_a) value = 2.0 * std::log(std::abs(stream.normal()));
  for (double& value : point.g) value = g_size * stream.normal();
  for (double& value : point.v) value = v_size * stream.normal();
  return point;
}

struct Evaluation {
  double loss;
  arma::mat by_g;
  arma::vec by_v;
};

inline Evaluation evaluate(const TransformationClass& method, const TransformationOptions& transformation,
                           const ObjectiveOptions& options, const LossPoint& at) {
  ObjectiveScratch scratch(at.log_a.n_elem);
  Evaluation e{0.0, arma::mat(arma::size(at.g)), arma::vec(at.v.n_elem)};
  e.loss = method.loss(transformation, options, at.log_a, at.g, at.v, e.by_g, e.by_v, scratch);
  return e;
}

/// The outputs of a network in double, by plain loops: what Mlp computes but for its rounding.
inline arma::mat forward_in_double(const MlpShape& shape, const arma::vec& parameters, arma::mat H) {
  for (const MlpLayer& layer : layers_of(shape)) {
    arma::mat Y(layer.outputs, H.n_cols);
    for (arma::uword n = 0; n < H.n_cols; ++n)
      for (arma::uword k = 0; k < layer.outputs; ++k) {
        // From input i; the bias is that of one input more.
        const auto weight = [&](std::size_t i) { return parameters(layer.offset + i * layer.outputs + k); };
        double sum = weight(layer.inputs);
        for (arma::uword i = 0; i < layer.inputs; ++i) sum += weight(i) * H(i, n);
        Y(k, n) = layer.relu ? std::max(sum, 0.0) : sum;
      }
    H = Y;
  }
  return H;
}

}  // namespace lacp
