#include "lacp/model/mlp.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "lacp/base/error.hpp"
#include "lacp/model/kernels/kernels.hpp"

namespace lacp {

double parameter_count(const MlpShape& shape) {
  double count = 0.0, inputs = static_cast<double>(shape.inputs);
  const auto add_layer = [&](std::size_t outputs) {
    count += (inputs + 1.0) * static_cast<double>(outputs);
    inputs = static_cast<double>(outputs);
  };
  if (shape.linear_first && !shape.hidden.empty()) add_layer(shape.hidden.front());
  for (const std::size_t width : shape.hidden) add_layer(width);
  add_layer(shape.outputs);
  return count;
}

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
  std::size_t largest = 0;
  for (const Layer& layer : layers_) largest = std::max(largest, layer.inputs * layer.outputs);
  transposed_.zeros(largest);
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
  const T* H = X.memptr();
  for (Layer& layer : layers_) {
    const T* W = parameters_.memptr() + layer.offset;
    product<T>({.rows = batch,
                .columns = layer.outputs,
                .terms = layer.inputs,
                .a = {H, layer.inputs, 1},
                .b = {W, layer.outputs},
                .start = {W + layer.inputs * layer.outputs, 0},
                .c = {layer.output.memptr(), layer.outputs},
                .relu = layer.relu});
    H = layer.output.memptr();
  }
  return view(layers_.back().output.memptr(), shape_.outputs, batch);
}

template <class T>
void Mlp<T>::backward(const Matrix& output_gradient) {
  const std::size_t batch = output_gradient.n_cols;
  std::copy_n(output_gradient.memptr(), output_gradient.n_elem, layers_.back().delta.memptr());
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const std::size_t inputs = layer.inputs, outputs = layer.outputs;
    const T* H = l == 0 ? input_->memptr() : layers_[l - 1].output.memptr();
    const T* delta = layer.delta.memptr();
    T* dW = gradient_.memptr() + layer.offset;
    const T one(1);
    product<T>({.rows = inputs,
                .columns = outputs,
                .terms = batch,
                .a = {H, 1, inputs},
                .b = {delta, outputs},
                .c = {dW, outputs}});
    // The bias is the weight of an input that is always one.
    product<T>({.rows = 1,
                .columns = outputs,
                .terms = batch,
                .a = {&one, 0, 0},
                .b = {delta, outputs},
                .c = {dW + inputs * outputs, outputs}});
    if (l == 0) return;

    transpose<T>(parameters_.memptr() + layer.offset, outputs, inputs, transposed_.memptr());
    product<T>({.rows = batch,
                .columns = inputs,
                .terms = outputs,
                .a = {delta, outputs, 1},
                .b = {transposed_.memptr(), inputs},
                .c = {layers_[l - 1].delta.memptr(), inputs},
                .active = layers_[l - 1].relu ? H : nullptr});
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
