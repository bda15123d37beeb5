#pragma once

#include <armadillo>
#include <new>
#include <vector>

#include "lacp/base/random.hpp"

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

  /// The outputs (outputs × batch) for a batch of inputs (inputs × batch): a view of an internal buffer,
  /// valid until the next call. X must stay as it is until backward has been called.
  arma::fmat forward(const arma::fmat& X);

  /// Fills gradient() given the loss's derivative with respect to the outputs of the last forward call.
  void backward(const arma::fmat& output_gradient);

  const MlpShape& shape() const { return shape_; }
  arma::fvec& parameters() { return parameters_; }
  const arma::fvec& parameters() const { return parameters_; }
  const arma::fvec& gradient() const { return gradient_; }

 private:
  using Floats = std::vector<float, AtCacheLine<float>>;
  struct Buffers {
    std::size_t lead;      // from one point of the batch to the next
    Floats output, delta;  // activations, after them a one; dloss/d(pre-activation)
  };

  void fill_gradient(std::size_t l, std::size_t batch, const float* H, std::size_t lead);
  void delta_of_few(std::size_t l, std::size_t batch);
  void delta_of_many(std::size_t l, std::size_t batch);
  void transpose_output(std::size_t l, std::size_t batch);

  MlpShape shape_;
  std::size_t largest_batch_;
  arma::fvec parameters_, gradient_;
  std::vector<MlpLayer> layers_;
  std::vector<Buffers> buffers_;  // of the layers
  Floats weights_across_;         // transposed: weights of the layer that backward is at
  Floats output_across_;          // transposed: activations of one layer, a row of the batch for each
  Floats delta_across_, next_delta_across_;
  const arma::fmat* input_ = nullptr;
};

/// What a network with these parameters gives for each column of X, for any number of columns: the bits of
/// Mlp::forward, in the memory of two layers.
arma::fmat evaluate(const MlpShape& shape, const arma::fvec& parameters, const arma::fmat& X);

}  // namespace lacp
