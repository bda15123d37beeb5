#pragma once

#include <armadillo>
#include <new>
#include <vector>

#include "lacp/base/random.hpp"
#include "lacp/network/adam.hpp"

namespace lacp {

/// Shape of a fully connected network.
struct MlpShape {
  std::size_t inputs = 1;
  std::vector<std::size_t> hidden = {100, 100, 100, 100, 100};  ///< Section 3: five hidden layers of size 100
  std::size_t outputs = 1;
  bool linear_first = false;  ///< the released code: one more hidden layer, in front and without ReLU
};

/// One layer: where its parameters lie in the flat block, weights first, then the bias.
struct MlpLayer {
  std::size_t inputs, outputs, offset;
  bool relu;
};

std::vector<MlpLayer> layers_of(const MlpShape& shape);

/// Parameters of a network, counted without building it. Layers are at most 100,000 wide (check_of), so
/// that no file is long enough for a shape whose number overflows.
std::size_t parameter_count(const MlpShape& shape);

/// Memory that begins at a cache line, for numbers that vectors are loaded from.
template <class T>
struct AtCacheLine {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  AtCacheLine() = default;
  template <class U>
  AtCacheLine(const AtCacheLine<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, alignment); }
  bool operator==(const AtCacheLine&) const = default;
};

/// A ReLU network. All parameters lie in one flat block, layer after layer, each as weights (outputs ×
/// inputs, column-major) and bias; gradients have the same layout. Forward and backward work in buffers that
/// are allocated once, for batches of at most `largest_batch` columns, and allocate nothing themselves.
///
/// The work is done by the kernels of model/kernels, so outputs and gradients are the same bits on every
/// processor. A NaN among the inputs reaches the outputs.
class Mlp {
 public:
  Mlp(const MlpShape& shape, std::size_t largest_batch);

  /// PyTorch's default for nn.Linear: weights and biases uniform on ±1/sqrt(inputs of the layer).
  void initialise(Stream& stream);

  /// The outputs (outputs × batch) for inputs (inputs × batch): a view of a buffer, valid until the next
  /// call.
  arma::fmat forward(const arma::fmat& X);

  /// Fills gradient() given the loss's derivative with respect to the outputs of the last forward call.
  void backward(const arma::fmat& output_gradient);

  /// As backward, with a step of the optimiser along the gradient; returns what its `step` returns.
  [[nodiscard]] std::optional<float> descend(const arma::fmat& output_gradient, Adam<float>& optimiser);

  const MlpShape& shape() const { return shape_; }
  arma::fvec& parameters() { return parameters_; }
  const arma::fvec& parameters() const { return parameters_; }
  const arma::fvec& gradient() const { return gradient_; }

 private:
  using Floats = std::vector<float, AtCacheLine<float>>;
  template <class F>
  void backward(const arma::fmat& output_gradient, F layer_is_done);

  MlpShape shape_;
  std::size_t largest_batch_;
  arma::fvec parameters_, gradient_;
  std::vector<MlpLayer> layers_;
  std::vector<Floats> features_;  // in panels: the inputs of each layer, after them a one for the bias
  Floats delta_, next_delta_;     // in panels: dloss/d(pre-activation) of one layer, or the outputs
  Floats rows_;                   // delta, or the inputs of a layer with one output, point after point
  arma::fvec outputs_;            // point after point
};

/// What a network with these parameters gives for each column of X, for any number of columns: the bits of
/// Mlp::forward, in the memory of two layers.
arma::fmat evaluate(const MlpShape& shape, const arma::fvec& parameters, const arma::fmat& X);

}  // namespace lacp
