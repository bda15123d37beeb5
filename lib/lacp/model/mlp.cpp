#include "lacp/model/mlp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "lacp/base/error.hpp"
#include "lacp/model/kernels/kernels.hpp"

namespace lacp {

std::vector<MlpLayer> layers_of(const MlpShape& shape) {
  std::vector<MlpLayer> layers;
  std::size_t inputs = shape.inputs, offset = 0;
  const auto add_layer = [&](std::size_t outputs, bool relu) {
    layers.push_back({inputs, outputs, offset, relu});
    offset += (inputs + 1) * outputs;
    inputs = outputs;
  };
  if (shape.linear_first && !shape.hidden.empty()) add_layer(shape.hidden.front(), false);
  for (const std::size_t hidden : shape.hidden) add_layer(hidden, true);
  add_layer(shape.outputs, false);
  return layers;
}

std::size_t parameter_count(const MlpShape& shape) {
  const MlpLayer last = layers_of(shape).back();
  return last.offset + (last.inputs + 1) * last.outputs;
}

namespace {

void require_inputs(const arma::fmat& X, const MlpShape& shape, std::size_t largest_batch) {
  if (X.n_rows != shape.inputs || X.n_cols > largest_batch)
    throw std::invalid_argument(fmt::format("Mlp: {} × {} inputs; expected {} × at most {}", X.n_rows,
                                            X.n_cols, shape.inputs, largest_batch));
}

/// From `inputs`, a column for each point of the batch, to `outputs`.
void forward(const MlpLayer& layer, const arma::fvec& parameters, std::size_t batch, const float* inputs,
             float* outputs) {
  const float* W = parameters.memptr() + layer.offset;
  kernels().product({.rows = batch,
                     .columns = layer.outputs,
                     .terms = layer.inputs,
                     .a = {inputs, layer.inputs, 1},
                     .b = {W, layer.outputs},
                     .start = {W + layer.inputs * layer.outputs, 0},
                     .c = {outputs, layer.outputs},
                     .relu = layer.relu});
}

}  // namespace

Mlp::Mlp(const MlpShape& shape, std::size_t largest_batch)
    : shape_(shape), largest_batch_(largest_batch), layers_(layers_of(shape)) {
  std::size_t largest = 0;
  for (const MlpLayer& layer : layers_) {
    buffers_.push_back(
        {arma::fvec(layer.outputs * largest_batch), arma::fvec(layer.outputs * largest_batch)});
    largest = std::max(largest, layer.inputs * layer.outputs);
  }
  parameters_.zeros(parameter_count(shape));
  gradient_.zeros(parameters_.n_elem);
  transposed_.zeros(largest);
}

void Mlp::initialise(Stream& stream) {
  for (const MlpLayer& layer : layers_) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(layer.inputs));
    const std::size_t end = layer.offset + (layer.inputs + 1) * layer.outputs;
    for (std::size_t i = layer.offset; i < end; ++i)
      parameters_(i) = static_cast<float>(stream.uniform(-bound, bound));
  }
}

arma::fmat Mlp::forward(const arma::fmat& X) {
  require_inputs(X, shape_, largest_batch_);
  input_ = &X;
  const float* H = X.memptr();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    lacp::forward(layers_[l], parameters_, X.n_cols, H, buffers_[l].output.memptr());
    H = buffers_[l].output.memptr();
  }
  return arma::fmat(buffers_.back().output.memptr(), shape_.outputs, X.n_cols, /*copy_aux_mem=*/false,
                    /*strict=*/true);
}

void Mlp::backward(const arma::fmat& output_gradient) {
  const std::size_t batch = output_gradient.n_cols;
  std::copy_n(output_gradient.memptr(), output_gradient.n_elem, buffers_.back().delta.memptr());
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const MlpLayer& layer = layers_[l];
    const std::size_t inputs = layer.inputs, outputs = layer.outputs;
    const float* H = l == 0 ? input_->memptr() : buffers_[l - 1].output.memptr();
    const float* delta = buffers_[l].delta.memptr();
    float* dW = gradient_.memptr() + layer.offset;
    const float one = 1.0f;
    kernels().product({.rows = inputs,
                       .columns = outputs,
                       .terms = batch,
                       .a = {H, 1, inputs},
                       .b = {delta, outputs},
                       .c = {dW, outputs}});
    // The bias is the weight of an input that is always one.
    kernels().product({.rows = 1,
                       .columns = outputs,
                       .terms = batch,
                       .a = {&one, 0, 0},
                       .b = {delta, outputs},
                       .c = {dW + inputs * outputs, outputs}});
    if (l == 0) return;

    kernels().transpose(parameters_.memptr() + layer.offset, outputs, inputs, transposed_.memptr());
    kernels().product({.rows = batch,
                       .columns = inputs,
                       .terms = outputs,
                       .a = {delta, outputs, 1},
                       .b = {transposed_.memptr(), inputs},
                       .c = {buffers_[l - 1].delta.memptr(), inputs},
                       .active = layers_[l - 1].relu ? H : nullptr});
  }
}

arma::fmat evaluate(const MlpShape& shape, const arma::fvec& parameters, const arma::fmat& X) {
  constexpr std::size_t columns_at_once = 256;
  require_inputs(X, shape, X.n_cols);
  const std::vector<MlpLayer> layers = layers_of(shape);
  std::size_t widest = 0;
  for (const std::size_t width : shape.hidden) widest = std::max(widest, width);
  const std::size_t largest_batch = std::min<std::size_t>(X.n_cols, columns_at_once);
  std::array<std::vector<float>, 2> hidden;
  for (std::vector<float>& layer : hidden) layer.resize(widest * largest_batch);
  arma::fmat Y(shape.outputs, X.n_cols);
  for (std::size_t first = 0; first < X.n_cols; first += columns_at_once) {
    const std::size_t batch = std::min<std::size_t>(columns_at_once, X.n_cols - first);
    const float* inputs = X.colptr(first);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      float* outputs = l + 1 == layers.size() ? Y.colptr(first) : hidden[l % 2].data();
      forward(layers[l], parameters, batch, inputs, outputs);
      inputs = outputs;
    }
  }
  return Y;
}

}  // namespace lacp
