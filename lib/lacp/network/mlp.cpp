#include "lacp/network/mlp.hpp"

#include <algorithm>

#include "lacp/base/error.hpp"
#include "lacp/network/kernels/kernels.hpp"

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
  if (X.n_rows != shape.inputs || X.n_cols > largest_batch) throw std::invalid_argument("Mlp: wrong sizes");
}

/// Floats in a cache line, and in the widest vector.
constexpr std::size_t line = 16;
constexpr std::size_t whole_lines(std::size_t n) { return (n + line - 1) / line * line; }

/// How a batch lies in memory. A panel holds one feature of some points, then the next feature of the same
/// points, so that points are the lanes of vectors.
class Panels {
 public:
  /// In a panel at most: four of the widest vectors.
  static constexpr std::size_t most = 4 * line;

  explicit Panels(std::size_t batch)
      : batch_(batch),
        count_(batch == 0 ? 1 : (batch + most - 1) / most),
        points_(whole_lines((batch + count_ - 1) / count_)) {}

  /// From one row of a panel, which is a feature, to the next.
  std::size_t points() const { return points_; }
  /// Floats of all panels with that many rows.
  std::size_t floats(std::size_t rows) const { return count_ * points_ * rows; }

  /// f(panel, first of its points, their number)
  template <class F>
  void each(F f) const {
    for (std::size_t p = 0, first = 0; first < batch_; ++p, first += points_)
      f(p, first, std::min(points_, batch_ - first));
  }

  /// `features` of each point, `lead` floats from one point to the next, into panels of `rows` rows.
  void gather(const float* points, std::size_t lead, std::size_t features, float* panels,
              std::size_t rows) const {
    each([&](std::size_t p, std::size_t first, std::size_t count) {
      kernels().transpose(points + first * lead, lead, features, count, panels + p * points_ * rows, points_);
    });
  }

  /// The way back.
  void scatter(const float* panels, std::size_t rows, std::size_t features, float* points,
               std::size_t lead) const {
    each([&](std::size_t p, std::size_t first, std::size_t count) {
      kernels().transpose(panels + p * points_ * rows, points_, count, features, points + first * lead, lead);
    });
  }

 private:
  std::size_t batch_, count_, points_;
};

/// From panels of `input_rows` rows to panels of `output_rows` rows.
void forward(const MlpLayer& layer, const arma::fvec& parameters, const Panels& panels, const float* inputs,
             std::size_t input_rows, float* outputs, std::size_t output_rows) {
  const float* W = parameters.memptr() + layer.offset;
  const std::size_t points = panels.points();
  panels.each([&](std::size_t p, std::size_t, std::size_t) {
    kernels().product({.rows = layer.outputs,
                       .columns = points,
                       .terms = layer.inputs,
                       .a = {W, 1, layer.outputs},
                       .b = {inputs + p * points * input_rows, points},
                       .start = {W + layer.inputs * layer.outputs, 1, 0},
                       .c = {outputs + p * points * output_rows, points},
                       .relu = layer.relu});
  });
}

/// For fewer points than would fill a vector: outputs are its lanes.
arma::fmat evaluate_few(const std::vector<MlpLayer>& layers, const arma::fvec& parameters,
                        arma::fmat points) {
  for (const MlpLayer& layer : layers) {
    const float* W = parameters.memptr() + layer.offset;
    arma::fmat outputs(layer.outputs, points.n_cols);
    kernels().product({.rows = points.n_cols,
                       .columns = layer.outputs,
                       .terms = layer.inputs,
                       .a = {points.memptr(), layer.inputs, 1},
                       .b = {W, layer.outputs},
                       .start = {W + layer.inputs * layer.outputs, 0},
                       .c = {outputs.memptr(), layer.outputs},
                       .relu = layer.relu});
    points = std::move(outputs);
  }
  return points;
}

}  // namespace

Mlp::Mlp(const MlpShape& shape, std::size_t largest_batch)
    : shape_(shape), largest_batch_(largest_batch), layers_(layers_of(shape)) {
  const std::size_t batch = (largest_batch + Panels::most - 1) / Panels::most * Panels::most;
  std::size_t widest = 0;
  for (const MlpLayer& layer : layers_) {
    features_.emplace_back((layer.inputs + 1) * batch);
    widest = std::max({widest, layer.inputs + 1, layer.outputs});
  }
  parameters_.zeros(parameter_count(shape));
  gradient_.zeros(parameters_.n_elem);
  outputs_.set_size(shape.outputs * largest_batch);
  delta_.resize(widest * batch);
  next_delta_.resize(widest * batch);
  rows_.resize(whole_lines(widest) * batch);
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
  const Panels panels(X.n_cols);
  panels.gather(X.memptr(), X.n_rows, X.n_rows, features_[0].data(), X.n_rows + 1);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const MlpLayer& layer = layers_[l];
    const bool last = l + 1 == layers_.size();
    float* inputs = features_[l].data();
    panels.each([&](std::size_t p, std::size_t, std::size_t) {
      std::fill_n(inputs + (p * (layer.inputs + 1) + layer.inputs) * panels.points(), panels.points(), 1.0f);
    });
    lacp::forward(layer, parameters_, panels, inputs, layer.inputs + 1,
                  last ? delta_.data() : features_[l + 1].data(), layer.outputs + (last ? 0 : 1));
  }
  panels.scatter(delta_.data(), shape_.outputs, shape_.outputs, outputs_.memptr(), shape_.outputs);
  return arma::fmat(outputs_.memptr(), shape_.outputs, X.n_cols, /*copy_aux_mem=*/false, /*strict=*/true);
}

/// Fills the gradient, from the last layer to the first; layer_is_done(l) when nothing needs its parameters.
template <class F>
void Mlp::backward(const arma::fmat& output_gradient, F layer_is_done) {
  const Panels panels(output_gradient.n_cols);
  const std::size_t points = panels.points();
  const float* delta = output_gradient.memptr();  // point after point, as the gradient reads it
  std::size_t lead = shape_.outputs;
  panels.gather(delta, lead, shape_.outputs, delta_.data(), shape_.outputs);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const MlpLayer& layer = layers_[l];
    const std::size_t rows = layer.inputs + 1,
                      rows_lead = whole_lines(rows);  // the bias is the weight of a one
    const float* H = features_[l].data();
    if (l > 0)
      panels.each([&](std::size_t p, std::size_t, std::size_t) {
        kernels().product({.rows = layer.inputs,
                           .columns = points,
                           .terms = layer.outputs,
                           .a = {parameters_.memptr() + layer.offset, layer.outputs, 1},
                           .b = {delta_.data() + p * points * layer.outputs, points},
                           .c = {next_delta_.data() + p * points * layer.inputs, points},
                           .active = layers_[l - 1].relu ? H + p * points * rows : nullptr});
      });
    const bool one_output = layer.outputs == 1;  // whose weights lie side by side
    if (one_output) panels.scatter(H, rows, rows, rows_.data(), rows_lead);
    float* dW = gradient_.memptr() + layer.offset;
    panels.each([&](std::size_t p, std::size_t first, std::size_t count) {
      Product gradient = {.rows = rows,
                          .columns = layer.outputs,
                          .terms = count,
                          .a = {H + p * points * rows, points, 1},
                          .b = {delta + first * lead, lead},
                          .c = {dW, layer.outputs}};
      if (one_output)
        gradient = {.rows = 1,
                    .columns = rows,
                    .terms = count,
                    .a = {delta_.data() + first, 0, 1},
                    .b = {rows_.data() + first * rows_lead, rows_lead},
                    .c = {dW, rows}};
      if (p > 0) gradient.start = {dW, gradient.c.row, 1};  // goes on from the panels before
      kernels().product(gradient);
    });
    layer_is_done(l);
    if (l == 0) return;
    std::swap(delta_, next_delta_);
    lead = whole_lines(layer.inputs);
    panels.scatter(delta_.data(), layer.inputs, layer.inputs, rows_.data(), lead);
    delta = rows_.data();
  }
}

void Mlp::backward(const arma::fmat& output_gradient) {
  backward(output_gradient, [](std::size_t) {});
}

std::optional<float> Mlp::descend(const arma::fmat& output_gradient, Adam<float>& optimiser) {
  const AdamStep<float> step = optimiser.begin_step();
  bool finite = true;
  backward(output_gradient, [&](std::size_t l) {  // while the gradient is in the nearest caches
    const MlpLayer& layer = layers_[l];
    if (!kernels().adam(step, (layer.inputs + 1) * layer.outputs, gradient_.memptr() + layer.offset,
                        optimiser.state(parameters_, layer.offset)))
      finite = false;
  });
  return optimiser.end_step(finite, gradient_);
}

arma::fmat evaluate(const MlpShape& shape, const arma::fvec& parameters, const arma::fmat& X) {
  constexpr std::size_t columns_at_once = 256;
  require_inputs(X, shape, X.n_cols);
  const std::vector<MlpLayer> layers = layers_of(shape);
  if (X.n_cols < line / 2) return evaluate_few(layers, parameters, X);
  std::size_t widest = shape.inputs;
  for (const MlpLayer& layer : layers) widest = std::max(widest, layer.outputs);
  const std::size_t floats = Panels(std::min<std::size_t>(X.n_cols, columns_at_once)).floats(widest);
  std::vector<float> inputs(floats), outputs(floats);
  arma::fmat Y(shape.outputs, X.n_cols);
  for (std::size_t first = 0; first < X.n_cols; first += columns_at_once) {
    const Panels panels(std::min<std::size_t>(columns_at_once, X.n_cols - first));
    panels.gather(X.colptr(first), X.n_rows, X.n_rows, inputs.data(), X.n_rows);
    for (const MlpLayer& layer : layers) {
      forward(layer, parameters, panels, inputs.data(), layer.inputs, outputs.data(), layer.outputs);
      std::swap(inputs, outputs);
    }
    panels.scatter(inputs.data(), shape.outputs, shape.outputs, Y.colptr(first), shape.outputs);
  }
  return Y;
}

}  // namespace lacp
