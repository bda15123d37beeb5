#include "step_products.hpp"

#include "lacp/model/kernels/kernels.hpp"

namespace lacp::bench {

StepProducts::StepProducts(const MlpShape& shape, std::size_t batch, Stream& stream)
    : batch_(batch), input_(shape.inputs * batch) {
  std::size_t inputs = shape.inputs, offset = 0;
  const auto add_layer = [&](std::size_t outputs) {
    layers_.push_back({inputs, outputs, offset, arma::fvec(outputs * batch), arma::fvec(outputs * batch)});
    offset += (inputs + 1) * outputs;
    inputs = outputs;
  };
  if (shape.linear_first) add_layer(shape.hidden.front());
  for (const std::size_t hidden : shape.hidden) add_layer(hidden);
  add_layer(shape.outputs);
  parameters_.set_size(offset);
  gradient_.set_size(offset);
  const auto fill = [&](arma::fvec& values) {
    for (float& value : values) value = static_cast<float>(stream.uniform(-0.1, 0.1));
  };
  fill(input_), fill(parameters_);
  for (Layer& layer : layers_) fill(layer.output), fill(layer.delta);
}

void StepProducts::forward() {
  const float* below = input_.memptr();
  for (Layer& layer : layers_) {
    const float* W = parameters_.memptr() + layer.offset;
    product({.rows = batch_,
             .columns = layer.outputs,
             .terms = layer.inputs,
             .a = {below, layer.inputs, 1},
             .b = {W, layer.outputs},
             .start = {W + layer.inputs * layer.outputs, 0},
             .c = {layer.output.memptr(), layer.outputs},
             .relu = true});
    below = layer.output.memptr();
  }
}

void StepProducts::backward() {
  for (std::size_t l = layers_.size() - 1; l > 0; --l) {
    const Layer& layer = layers_[l];
    product({.rows = batch_,
             .columns = layer.inputs,
             .terms = layer.outputs,
             .a = {layer.delta.memptr(), layer.outputs, 1},
             .b = {parameters_.memptr() + layer.offset, layer.inputs},
             .c = {layers_[l - 1].delta.memptr(), layer.inputs},
             .active = layers_[l - 1].output.memptr()});
  }
}

void StepProducts::gradient() {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    product({.rows = layer.inputs,
             .columns = layer.outputs,
             .terms = batch_,
             .a = {l == 0 ? input_.memptr() : layers_[l - 1].output.memptr(), 1, layer.inputs},
             .b = {layer.delta.memptr(), layer.outputs},
             .c = {gradient_.memptr() + layer.offset, layer.outputs}});
  }
}

double StepProducts::forward_operations() const {
  double sum = 0.0;
  for (const Layer& layer : layers_) sum += 2.0 * static_cast<double>(layer.inputs * layer.outputs * batch_);
  return sum;
}

double StepProducts::backward_operations() const {
  const Layer& first = layers_.front();
  return forward_operations() - 2.0 * static_cast<double>(first.inputs * first.outputs * batch_);
}

}  // namespace lacp::bench
