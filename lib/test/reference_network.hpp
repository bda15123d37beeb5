#pragma once

#include <algorithm>

#include "lacp/model/mlp.hpp"

namespace lacp {

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
