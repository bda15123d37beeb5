#include "lacp/model/mlp.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "lacp/base/error.hpp"

namespace lacp {
namespace {

// The element-wise passes, on plain pointers that do not overlap, so that the compiler vectorises them.

template <class T>
void relu(T* __restrict z, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) z[i] = z[i] <= T(0) ? T(0) : z[i];  // a nan stays one
}

/// delta ← delta where the unit was active, else 0.
template <class T>
void relu_backward(T* __restrict delta, const T* __restrict activation, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) delta[i] = activation[i] > T(0) ? delta[i] : T(0);
}

/// Sums of the rows of a column-major matrix.
template <class T>
void sum_columns(T* __restrict sums, const T* __restrict values, std::size_t rows, std::size_t columns) {
  std::copy_n(values, rows, sums);
  for (std::size_t n = 1; n < columns; ++n)
    for (std::size_t r = 0; r < rows; ++r) sums[r] += values[n * rows + r];
}

}  // namespace

template <class T>
typename Mlp<T>::Matrix Mlp<T>::view(T* memory, std::size_t rows, std::size_t columns) {
  return Matrix(memory, rows, columns, /*copy_aux_mem=*/false, /*strict=*/true);
}

template <class T>
Mlp<T>::Mlp(const MlpShape& shape, std::size_t largest_batch) : shape_(shape), largest_batch_(largest_batch) {
  std::size_t inputs = shape.inputs, offset = 0;
  const auto add_layer = [&](std::size_t outputs, bool relu) {
    layers_.push_back({inputs, outputs, offset, relu, arma::Col<T>(outputs * largest_batch),
                       arma::Col<T>(outputs * largest_batch)});
    offset += (inputs + 1) * outputs;
    inputs = outputs;
  };
  if (shape.linear_first && !shape.hidden.empty()) add_layer(shape.hidden.front(), false);
  for (const std::size_t hidden : shape.hidden) add_layer(hidden, true);
  add_layer(shape.outputs, false);
  parameters_.zeros(offset);
  gradient_.zeros(offset);
}

template <class T>
void Mlp<T>::initialise(Stream& stream) {
  for (const Layer& layer : layers_) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(layer.inputs));
    const std::size_t end = layer.offset + (layer.inputs + 1) * layer.outputs;
    for (std::size_t i = layer.offset; i < end; ++i)
      parameters_(i) = static_cast<T>(stream.uniform(-bound, bound));
  }
}

template <class T>
typename Mlp<T>::Matrix Mlp<T>::forward(const Matrix& X) {
  if (X.n_rows != shape_.inputs || X.n_cols > largest_batch_)
    throw std::invalid_argument(fmt::format("Mlp::forward: {} × {} inputs; expected {} × at most {}",
                                            X.n_rows, X.n_cols, shape_.inputs, largest_batch_));
  input_ = &X;
  const std::size_t batch = X.n_cols;
  T* below = const_cast<T*>(X.memptr());  // only read
  for (Layer& layer : layers_) {
    const Matrix W = view(parameters_.memptr() + layer.offset, layer.outputs, layer.inputs);
    const T* bias = W.memptr() + W.n_elem;
    const Matrix H = view(below, layer.inputs, batch);
    Matrix Z = view(layer.output.memptr(), layer.outputs, batch);
    for (std::size_t n = 0; n < batch; ++n) std::copy_n(bias, layer.outputs, Z.colptr(n));
    Z += W * H;
    if (layer.relu) relu(Z.memptr(), Z.n_elem);
    below = layer.output.memptr();
  }
  return view(below, shape_.outputs, batch);
}

template <class T>
void Mlp<T>::backward(const Matrix& output_gradient) {
  const std::size_t batch = output_gradient.n_cols;
  std::copy_n(output_gradient.memptr(), output_gradient.n_elem, layers_.back().delta.memptr());
  for (std::size_t l = layers_.size(); l-- > 0;) {
    Layer& layer = layers_[l];
    const Matrix delta = view(layer.delta.memptr(), layer.outputs, batch);
    T* below = l == 0 ? const_cast<T*>(input_->memptr()) : layers_[l - 1].output.memptr();
    const Matrix H = view(below, layer.inputs, batch);
    Matrix dW = view(gradient_.memptr() + layer.offset, layer.outputs, layer.inputs);
    dW = delta * H.t();
    sum_columns(dW.memptr() + dW.n_elem, delta.memptr(), layer.outputs, batch);
    if (l == 0) return;

    const Matrix W = view(parameters_.memptr() + layer.offset, layer.outputs, layer.inputs);
    Matrix delta_below = view(layers_[l - 1].delta.memptr(), layer.inputs, batch);
    delta_below = W.t() * delta;
    if (layers_[l - 1].relu) relu_backward(delta_below.memptr(), below, delta_below.n_elem);
  }
}

template <class T>
typename Mlp<T>::Matrix Mlp<T>::evaluate(const Matrix& X) {
  Matrix Y(shape_.outputs, X.n_cols);
  for (arma::uword first = 0; first < X.n_cols; first += largest_batch_) {
    const arma::uword last = std::min<arma::uword>(first + largest_batch_, X.n_cols) - 1;
    const Matrix block = X.cols(first, last);
    Y.cols(first, last) = forward(block);
  }
  input_ = nullptr;
  return Y;
}

template class Mlp<float>;
template class Mlp<double>;

}  // namespace lacp
