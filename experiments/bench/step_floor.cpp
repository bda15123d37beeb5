#include "step_floor.hpp"

namespace lacp::bench {
namespace {

using arma::blas_int;

void fill(arma::fvec& values, Stream& stream) {
  for (float& value : values) value = static_cast<float>(stream.uniform(-0.1, 0.1));
}

/// C (m × n) = A·B, inner size k. Products with a vector go to sgemv, as Armadillo sends them.
void product(char trans_a, char trans_b, std::size_t m, std::size_t n, std::size_t k, const float* A,
             const float* B, float* C) {
  const float one = 1.0f, zero = 0.0f;
  const auto rows = static_cast<blas_int>(m), columns = static_cast<blas_int>(n),
             inner = static_cast<blas_int>(k);
  if (m == 1) {  // C = a·op(B): its transpose is op(B)ᵀ·a
    const char trans = trans_b == 'N' ? 'T' : 'N';
    const blas_int stride = 1, b_rows = trans_b == 'N' ? inner : columns,
                   b_columns = trans_b == 'N' ? columns : inner;
    arma::blas::gemv<float>(&trans, &b_rows, &b_columns, &one, B, &b_rows, A, &stride, &zero, C, &stride);
    return;
  }
  const blas_int lead_a = trans_a == 'N' ? rows : inner, lead_b = trans_b == 'N' ? inner : columns;
  arma::blas::gemm<float>(&trans_a, &trans_b, &rows, &columns, &inner, &one, A, &lead_a, B, &lead_b, &zero, C,
                          &rows);
}

}  // namespace

StepFloor::StepFloor(const MlpShape& shape, std::size_t batch, Stream& stream)
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
  for (arma::fvec* block : {&parameters_, &gradient_, &mean_, &square_}) block->set_size(offset);
  for (arma::fvec* block : {&input_, &parameters_, &gradient_, &mean_, &square_, &layers_.back().delta})
    fill(*block, stream);
}

void StepFloor::products() {
  const float* below = input_.memptr();
  for (Layer& layer : layers_) {
    product('N', 'N', layer.outputs, batch_, layer.inputs, parameters_.memptr() + layer.offset, below,
            layer.output.memptr());
    below = layer.output.memptr();
  }
  for (std::size_t l = layers_.size(); l-- > 0;) {
    Layer& layer = layers_[l];
    const float* activations = l == 0 ? input_.memptr() : layers_[l - 1].output.memptr();
    product('N', 'T', layer.outputs, layer.inputs, batch_, layer.delta.memptr(), activations,
            gradient_.memptr() + layer.offset);
    if (l > 0)
      product('T', 'N', layer.inputs, batch_, layer.outputs, parameters_.memptr() + layer.offset,
              layer.delta.memptr(), layers_[l - 1].delta.memptr());
  }
}

void StepFloor::stream() {
  float* __restrict theta = parameters_.memptr();
  const float* __restrict g = gradient_.memptr();
  float* __restrict m = mean_.memptr();
  float* __restrict v = square_.memptr();
  const std::size_t count = parameters_.n_elem;
  // The step itself is 1e-20, so that the parameters stay as they are however often this is called.
  for (std::size_t i = 0; i < count; ++i) {
    m[i] = 0.9f * m[i] + 0.1f * g[i];
    v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
    theta[i] -= 1e-20f * (m[i] + v[i]);
  }
}

double StepFloor::operations() const {
  double sum = 0.0;
  for (const Layer& layer : layers_) {
    const double products = &layer == &layers_.front() ? 2.0 : 3.0;
    sum += 2.0 * products * static_cast<double>(layer.inputs * layer.outputs * batch_);
  }
  return sum;
}

}  // namespace lacp::bench
