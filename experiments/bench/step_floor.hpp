#pragma once

#include <armadillo>
#include <vector>

#include "lacp/base/random.hpp"
#include "lacp/model/mlp.hpp"

namespace lacp::bench {

/// What a training step cannot do without: the matrix products of forward and backward pass, straight to BLAS
/// on memory laid out as in Mlp, and one pass over the parameters, the gradient and the two moments of Adam.
class StepFloor {
 public:
  StepFloor(const MlpShape& shape, std::size_t batch, Stream& stream);

  /// The products of one step: per layer W·H, δ·Hᵀ and, but for the first layer, Wᵀ·δ.
  void products();

  /// Reads θ, g, m, v and writes θ, m, v with multiplications and additions alone.
  void stream();

  std::size_t parameters() const { return parameters_.n_elem; }

  /// Floating-point operations of `products`.
  double operations() const;

 private:
  struct Layer {
    std::size_t inputs, outputs, offset;
    arma::fvec output, delta;
  };
  std::size_t batch_;
  arma::fvec input_, parameters_, gradient_, mean_, square_;
  std::vector<Layer> layers_;
};

}  // namespace lacp::bench
