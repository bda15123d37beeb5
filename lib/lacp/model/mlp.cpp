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

/// Columns of the batch, one every `lead` floats.
struct Columns {
  const float* at;
  std::size_t lead;
};

/// From `inputs` to `outputs`, which has a column every `output_lead` floats.
void forward(const MlpLayer& layer, const arma::fvec& parameters, std::size_t batch, Columns inputs,
             float* outputs, std::size_t output_lead) {
  const float* W = parameters.memptr() + layer.offset;
  kernels().product({.rows = batch,
                     .columns = layer.outputs,
                     .terms = layer.inputs,
                     .a = {inputs.at, inputs.lead, 1},
                     .b = {W, layer.outputs},
                     .start = {W + layer.inputs * layer.outputs, 0},
                     .c = {outputs, output_lead},
                     .relu = layer.relu});
}

/// Floats in a cache line, and in the widest vector.
constexpr std::size_t line = 16;
constexpr std::size_t whole_lines(std::size_t n) { return (n + line - 1) / line * line; }

/// A batch of at most this many is few: transposing what it has of a layer is cheaper than transposing
/// weights.
constexpr std::size_t few = 2 * line;

}  // namespace

Mlp::Mlp(const MlpShape& shape, std::size_t largest_batch)
    : shape_(shape), largest_batch_(largest_batch), layers_(layers_of(shape)) {
  const std::size_t batch = whole_lines(largest_batch);
  std::size_t weights = 0, widest = 0;
  for (const MlpLayer& layer : layers_) {
    const bool last = &layer == &layers_.back();
    const std::size_t lead = last ? layer.outputs : whole_lines(layer.outputs + 1);
    buffers_.push_back({lead, Floats(lead * batch), Floats(lead * batch)});
    if (!last)  // the input that the bias of the next layer is the weight of
      for (std::size_t n = 0; n < batch; ++n) buffers_.back().output[n * lead + layer.outputs] = 1.0f;
    if (layer.offset > 0) weights = std::max(weights, whole_lines(layer.inputs) * layer.outputs);
    widest = std::max(widest, layer.outputs);
  }
  parameters_.zeros(parameter_count(shape));
  gradient_.zeros(parameters_.n_elem);
  weights_across_.resize(weights);
  output_across_.resize(widest * batch + batch);  // and a row of biases
  delta_across_.resize(widest * std::min(batch, few));
  next_delta_across_.resize(delta_across_.size());
}

void Mlp::initialise(Stream& stream) {
  for (const MlpLayer& layer : layers_) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(layer.inputs));
    const std::size_t end = layer.offset + (layer.inputs + 1) * layer.outputs;
    for (std::size_t i = layer.offset; i < end; ++i)
      parameters_(i) = static_cast<float>(stream.uniform(-bound, bound));
  }
}

/// The activations of layer l as rows of the batch.
void Mlp::transpose_output(std::size_t l, std::size_t batch) {
  kernels().transpose(buffers_[l].output.data(), buffers_[l].lead, layers_[l].outputs, batch,
                      output_across_.data(), whole_lines(batch));
}

arma::fmat Mlp::forward(const arma::fmat& X) {
  require_inputs(X, shape_, largest_batch_);
  input_ = &X;
  const std::size_t batch = X.n_cols;
  Columns H = {X.memptr(), X.n_rows};
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const MlpLayer& layer = layers_[l];
    float* outputs = buffers_[l].output.data();
    if (l > 0 && layer.outputs == 1 && !layer.relu) {  // one output: points of the batch side by side
      const std::size_t across = whole_lines(batch);
      const float* W = parameters_.memptr() + layer.offset;
      float* bias = output_across_.data() + layer.inputs * across;
      std::fill_n(bias, across, W[layer.inputs]);
      transpose_output(l - 1, batch);
      kernels().product({.rows = 1,
                         .columns = across,
                         .terms = layer.inputs,
                         .a = {W, 0, 1},
                         .b = {output_across_.data(), across},
                         .start = {bias, 0},
                         .c = {outputs, across}});
    } else {
      lacp::forward(layer, parameters_, batch, H, outputs, buffers_[l].lead);
    }
    H = {outputs, buffers_[l].lead};
  }
  return arma::fmat(buffers_.back().output.data(), shape_.outputs, batch, /*copy_aux_mem=*/false,
                    /*strict=*/true);
}

void Mlp::backward(const arma::fmat& output_gradient) {
  const std::size_t batch = output_gradient.n_cols;
  std::copy_n(output_gradient.memptr(), output_gradient.n_elem, buffers_.back().delta.data());
  for (std::size_t l = layers_.size(); l-- > 1;) {
    fill_gradient(l, batch, buffers_[l - 1].output.data(), buffers_[l - 1].lead);
    if (whole_lines(batch) <= few)
      delta_of_few(l, batch);
    else
      delta_of_many(l, batch);
  }
  fill_gradient(0, batch, input_->memptr(), layers_[0].inputs);
}

/// The gradient of layer l, whose inputs are H. Its bias is the weight of an input that is always one.
void Mlp::fill_gradient(std::size_t l, std::size_t batch, const float* H, std::size_t lead) {
  const MlpLayer& layer = layers_[l];
  const std::size_t inputs = layer.inputs + (l > 0 ? 1 : 0), outputs = layer.outputs;
  const Floats& delta = buffers_[l].delta;
  float* dW = gradient_.memptr() + layer.offset;
  if (outputs == 1)
    kernels().product({.rows = 1,
                       .columns = inputs,
                       .terms = batch,
                       .a = {delta.data(), 0, 1},
                       .b = {H, lead},
                       .c = {dW, inputs}});
  else
    kernels().product({.rows = inputs,
                       .columns = outputs,
                       .terms = batch,
                       .a = {H, 1, lead},
                       .b = {delta.data(), buffers_[l].lead},
                       .c = {dW, outputs}});
  const float one = 1.0f;
  if (l == 0)  // the caller's inputs have no one behind them
    kernels().product({.rows = 1,
                       .columns = outputs,
                       .terms = batch,
                       .a = {&one, 0, 0},
                       .b = {delta.data(), buffers_[l].lead},
                       .c = {dW + inputs * outputs, outputs}});
}

/// delta of layer l − 1 from that of layer l, computed as rows of the batch.
void Mlp::delta_of_few(std::size_t l, std::size_t batch) {
  const MlpLayer& layer = layers_[l];
  const std::size_t across = whole_lines(batch);
  const bool last = l + 1 == layers_.size(), relu = layers_[l - 1].relu;
  if (last)
    kernels().transpose(buffers_[l].delta.data(), layer.outputs, layer.outputs, batch, delta_across_.data(),
                        across);
  if (relu && !(last && layer.outputs == 1)) transpose_output(l - 1, batch);  // forward has done the last one
  kernels().product({.rows = layer.inputs,
                     .columns = across,
                     .terms = layer.outputs,
                     .a = {parameters_.memptr() + layer.offset, layer.outputs, 1},
                     .b = {delta_across_.data(), across},
                     .c = {next_delta_across_.data(), across},
                     .active = relu ? output_across_.data() : nullptr});
  kernels().transpose(next_delta_across_.data(), across, batch, layer.inputs, buffers_[l - 1].delta.data(),
                      buffers_[l - 1].lead);
  std::swap(delta_across_, next_delta_across_);
}

/// The same with transposed weights.
void Mlp::delta_of_many(std::size_t l, std::size_t batch) {
  const MlpLayer& layer = layers_[l];
  Columns weights = {parameters_.memptr() + layer.offset, layer.inputs};
  if (layer.outputs > 1) {
    const std::size_t lead = whole_lines(layer.inputs);
    kernels().transpose(weights.at, layer.outputs, layer.outputs, layer.inputs, weights_across_.data(), lead);
    weights = {weights_across_.data(), lead};
  }
  kernels().product({.rows = batch,
                     .columns = layer.inputs,
                     .terms = layer.outputs,
                     .a = {buffers_[l].delta.data(), buffers_[l].lead, 1},
                     .b = {weights.at, weights.lead},
                     .c = {buffers_[l - 1].delta.data(), buffers_[l - 1].lead},
                     .active = layers_[l - 1].relu ? buffers_[l - 1].output.data() : nullptr});
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
    Columns inputs = {X.colptr(first), X.n_rows};
    for (std::size_t l = 0; l < layers.size(); ++l) {
      float* outputs = l + 1 == layers.size() ? Y.colptr(first) : hidden[l % 2].data();
      forward(layers[l], parameters, batch, inputs, outputs, layers[l].outputs);
      inputs = {outputs, layers[l].outputs};
    }
  }
  return Y;
}

}  // namespace lacp
