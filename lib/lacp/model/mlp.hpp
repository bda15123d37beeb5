#pragma once

#include <armadillo>
#include <vector>

#include "lacp/base/random.hpp"

namespace lacp {

/// Shape of a fully connected network.
struct MlpShape {
  std::size_t inputs = 1;
  std::vector<std::size_t> hidden = {100, 100, 100, 100, 100};  ///< Section 3: five hidden layers of size 100
  std::size_t outputs = 1;
  bool linear_first = false;  ///< the released code: one more hidden layer, in front and without ReLU

  bool operator==(const MlpShape&) const = default;
};

/// Parameters of a network, as a double: a damaged shape must not overflow, nor be built to be counted.
double parameter_count(const MlpShape& shape);

/// A ReLU network. All parameters lie in one flat block, layer after layer, each as weights (outputs ×
/// inputs, column-major) and bias; gradients have the same layout. Forward and backward work in buffers that
/// are allocated once, for batches of at most `largest_batch` columns, and allocate nothing themselves.
///
/// The work is done by the kernels of model/kernels, so outputs and gradients are the same bits on every
/// processor. A NaN among the inputs reaches the outputs. T is float in use and double in tests.
template <class T>
class Mlp {
 public:
  using Matrix = arma::Mat<T>;

  Mlp(const MlpShape& shape, std::size_t largest_batch);

  /// PyTorch's default for nn.Linear: weights and biases uniform on ±1/sqrt(inputs of the layer).
  void initialise(Stream& stream);

  /// The outputs (outputs × batch) for a batch of inputs (inputs × batch): a view of an internal buffer,
  /// valid until the next call. X must stay as it is until backward has been called.
  Matrix forward(const Matrix& X);

  /// Fills gradient() given the loss's derivative with respect to the outputs of the last forward call.
  void backward(const Matrix& output_gradient);

  /// As forward, for any number of columns.
  Matrix evaluate(const Matrix& X);

  const MlpShape& shape() const { return shape_; }
  arma::Col<T>& parameters() { return parameters_; }
  const arma::Col<T>& parameters() const { return parameters_; }
  const arma::Col<T>& gradient() const { return gradient_; }

 private:
  struct Layer {
    std::size_t inputs, outputs, offset;  // offset of the weights in the flat block; the bias follows them
    bool relu;
    arma::Col<T> output, delta;  // activations and dloss/d(pre-activation), outputs × largest_batch
  };
  /// A view, without a copy, of column-major memory.
  static Matrix view(T* memory, std::size_t rows, std::size_t columns);

  MlpShape shape_;
  std::size_t largest_batch_;
  arma::Col<T> parameters_, gradient_;
  arma::Col<T> transposed_;  // weights of the layer that backward is at
  std::vector<Layer> layers_;
  const Matrix* input_ = nullptr;
};

}  // namespace lacp
