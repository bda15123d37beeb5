#pragma once

#include <algorithm>

#include "lacp/model/mlp.hpp"

namespace lacp {

/// The network in double, by plain loops: what Mlp computes but for its rounding.
class ReferenceNetwork {
 public:
  explicit ReferenceNetwork(const MlpShape& shape)
      : layers_(layers_of(shape)), parameters_(parameter_count(shape), arma::fill::zeros) {}

  arma::mat forward(const arma::mat& X) {
    outputs_ = {X};
    for (const MlpLayer& layer : layers_) {
      const arma::mat H = outputs_.back();
      arma::mat& Y = outputs_.emplace_back(layer.outputs, H.n_cols);
      for (arma::uword n = 0; n < H.n_cols; ++n)
        for (arma::uword k = 0; k < layer.outputs; ++k) {
          double sum = parameters_(at(layer, layer.inputs, k));
          for (arma::uword i = 0; i < layer.inputs; ++i) sum += parameters_(at(layer, i, k)) * H(i, n);
          Y(k, n) = layer.relu ? std::max(sum, 0.0) : sum;
        }
    }
    return outputs_.back();
  }

  /// The derivative by the parameters, from that by the outputs of the last forward call.
  void backward(arma::mat delta) {
    gradient_.zeros(parameters_.n_elem);
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const MlpLayer& layer = layers_[l];
      const arma::mat& H = outputs_[l];
      arma::mat below(layer.inputs, delta.n_cols, arma::fill::zeros);
      for (arma::uword n = 0; n < delta.n_cols; ++n)
        for (arma::uword k = 0; k < layer.outputs; ++k) {
          gradient_(at(layer, layer.inputs, k)) += delta(k, n);
          for (arma::uword i = 0; i < layer.inputs; ++i) {
            gradient_(at(layer, i, k)) += delta(k, n) * H(i, n);
            if (l == 0 || !layers_[l - 1].relu || H(i, n) > 0.0)
              below(i, n) += parameters_(at(layer, i, k)) * delta(k, n);
          }
        }
      delta = below;
    }
  }

  arma::vec& parameters() { return parameters_; }
  const arma::vec& gradient() const { return gradient_; }

 private:
  /// Where the weight from input i to output k lies; the bias is that of one input more.
  static std::size_t at(const MlpLayer& layer, std::size_t i, std::size_t k) {
    return layer.offset + i * layer.outputs + k;
  }

  std::vector<MlpLayer> layers_;
  arma::vec parameters_, gradient_;
  std::vector<arma::mat> outputs_;  // the inputs, then those of each layer
};

}  // namespace lacp
