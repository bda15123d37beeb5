#pragma once

#include <armadillo>
#include <vector>

#include "lacp/base/random.hpp"
#include "lacp/model/mlp.hpp"

namespace lacp::bench {

/// Multiplications and additions per second that one core can do at most, by independent fmas of the kernels
/// in use.
double fma_peak(double budget);

/// The matrix products of one training step, each kind by itself, by the kernels in use on memory laid out as
/// in Mlp.
class StepProducts {
 public:
  StepProducts(const MlpShape& shape, std::size_t batch, Stream& stream);

  void forward();   ///< per layer W·H
  void backward();  ///< per layer but the first Wᵀ·δ, W transposed beforehand
  void gradient();  ///< per layer δ·Hᵀ

  std::size_t parameters() const { return parameters_.n_elem; }

  /// Floating-point operations of each.
  double forward_operations() const;
  double backward_operations() const;
  double gradient_operations() const { return forward_operations(); }

 private:
  struct Layer {
    std::size_t inputs, outputs, offset;
    arma::fvec output, delta;
  };
  std::size_t batch_;
  arma::fvec input_, parameters_, gradient_;
  std::vector<Layer> layers_;
};

}  // namespace lacp::bench
