// A training step against its lower bound, and our Adam against ensmallen's.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ensmallen.hpp>
#include <numeric>
#include <tuple>

#include "bench.hpp"
#include "lacp/base/random.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/training/fit_localizer.hpp"
#include "lacp/model/adam.hpp"
#include "lacp/model/kernels/kernels.hpp"

namespace lacp::bench {

namespace {

// Sums that do not wait for each other. Each addition is written as the processor's own instruction: left to
// the compiler, sums that are all alike become one.

#if defined(__aarch64__)
typedef float Vector __attribute__((vector_size(16)));
#define LACP_FMA(sum, x, y) asm volatile("fmla %0.4s, %1.4s, %2.4s" : "+w"(sum) : "w"(x), "w"(y))
#define LACP_TARGET
#elif defined(__x86_64__)
typedef float Vector __attribute__((vector_size(32)));
typedef float Wide __attribute__((vector_size(64)));
#define LACP_FMA(sum, x, y) asm volatile("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y))
#define LACP_TARGET [[gnu::target("avx2,fma")]]
#endif

#if defined(__aarch64__) || defined(__x86_64__)
/// `times` additions to each of N sums.
#define LACP_MANY_FMAS(name, target, V)                                            \
  template <int N>                                                                 \
  target void name(std::size_t times) {                                            \
    V sum[N] = {}, x = {}, y = {};                                                 \
    for (std::size_t t = 0; t < times; ++t)                                        \
      _Pragma("GCC unroll 32") for (int n = 0; n < N; ++n) LACP_FMA(sum[n], x, y); \
  }
LACP_MANY_FMAS(many_fmas, LACP_TARGET, Vector)
#if defined(__x86_64__)
LACP_MANY_FMAS(many_wide_fmas, [[gnu::target("avx512f")]], Wide)
#endif
#endif

constexpr std::size_t times = 10'000;

/// Operations per second of a function that does this many sums of this many lanes.
double speed(void (*function)(std::size_t), std::size_t sums, std::size_t lanes, double budget) {
  const double seconds = shortest([&] { function(times); }, 0.2 * budget);
  return 2.0 * static_cast<double>(lanes * sums * times) / seconds;
}

#if defined(__aarch64__) || defined(__x86_64__)
/// How many sums keep all pipes busy differs between processors.
double vector_peak(double budget) {
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(float);
  return std::max({speed(many_fmas<8>, 8, lanes, budget), speed(many_fmas<10>, 10, lanes, budget),
                   speed(many_fmas<12>, 12, lanes, budget)});
}
#endif

/// A processor whose fma is a function of the C library.
void plain_fmas(std::size_t count) {
  float sum[8] = {};
  volatile float half = 0.5f;
  const float x = half;
  for (std::size_t t = 0; t < count; ++t)
    for (float& s : sum) s = std::fma(s, x, x);
  for (const float s : sum) keep(s);
}

}  // namespace

double fma_peak(double budget) {
#if defined(__aarch64__)
  return std::max(
      {vector_peak(budget), speed(many_fmas<16>, 16, 4, budget), speed(many_fmas<24>, 24, 4, budget)});
#elif defined(__x86_64__)
  double peak = 0.0;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) peak = vector_peak(budget);
  if (__builtin_cpu_supports("avx512f"))
    peak = std::max({peak, speed(many_wide_fmas<8>, 8, 16, budget), speed(many_wide_fmas<12>, 12, 16, budget),
                     speed(many_wide_fmas<24>, 24, 16, budget)});
  if (peak > 0.0) return peak;
#endif
  return speed(plain_fmas, 8, 1, budget);
}

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

namespace {

constexpr std::size_t rows = 4096;

/// A network in training on random data; step() takes the batches in turn.
class Training {
 public:
  Training(const std::string& method, std::size_t inputs, std::size_t batch)
      : batch_(batch),
        X_(inputs, rows),
        log_a_(rows),
        order_(rows),
        trainer_(make_trainer(find_class(method), {}, {}, {}, {.learning_rate = 1e-5}, inputs, batch)) {
    Stream stream(7);
    for (float& x : X_) x = static_cast<float>(stream.normal());
    for (double& a : log_a_) a = 2.0 * std::log(std::abs(stream.normal()));
    std::iota(order_.begin(), order_.end(), arma::uword{0});
    stream.shuffle(std::span(order_));
    trainer_.initialise(stream);
  }

  void step() {
    keep(trainer_.step(X_, log_a_, std::span(order_).subspan(first_, batch_)).loss);
    first_ = (first_ + batch_) % rows;
  }

 private:
  std::size_t batch_, first_ = 0;
  arma::fmat X_;
  arma::vec log_a_;
  std::vector<arma::uword> order_;
  Trainer trainer_;
};

std::string micro(double seconds) { return display(1e6 * seconds, 1); }

/// "12.3 (87 %)": µs, and the share of the peak that these operations ran at.
std::string with_share(double seconds, double operations, double peak) {
  return fmt::format("{} ({:.0f} %)", micro(seconds), 100.0 * operations / seconds / peak);
}

void against_floor(Context& context) {
  const double peak = fma_peak(context.budget);
  context.report.section(
      "A training step against its lower bound",
      fmt::format(
          "Five hidden layers of 100, float, method exp; kernels {}, fma peak of the core {:.1f} GFLOP/s. In µs per step, and in\nbrackets the share of that peak: the products of the forward pass, of the backward pass and of the gradient, each by itself.\nThe lower bound is all three at the peak, and Adam's own pass, with its square root and division.",
          kernels().name, 1e-9 * peak));
  Frame table({"d", "batch", "step", "forward", "backward", "gradient", "Adam", "products at peak + Adam",
               "step / that"});
  context.report.number("fma_peak", peak);
  for (const std::size_t inputs : {8u, 18u, 53u})
    for (const std::size_t batch : {16u, 256u}) {
      Stream stream(3);
      Training training("exp", inputs, batch);
      StepProducts products({.inputs = inputs}, batch, stream);
      Adam<float> adam({.learning_rate = 1e-5}, products.parameters());
      arma::fvec theta(products.parameters(), arma::fill::zeros),
          gradient(theta.n_elem, arma::fill::value(0.01));
      const std::vector<double> best =
          shortest({[&] { training.step(); }, [&] { products.forward(); }, [&] { products.backward(); },
                    [&] { products.gradient(); }, [&] { keep(adam.step(theta, gradient)); }},
                   context.budget);
      const auto [step, forward, backward, by_weights, adam_pass] =
          std::tie(best[0], best[1], best[2], best[3], best[4]);
      const double at_peak =
          (products.forward_operations() + products.backward_operations() + products.gradient_operations()) /
          peak;
      table.add({std::to_string(inputs), std::to_string(batch), micro(step),
                 with_share(forward, products.forward_operations(), peak),
                 with_share(backward, products.backward_operations(), peak),
                 with_share(by_weights, products.gradient_operations(), peak), micro(adam_pass),
                 micro(at_peak + adam_pass), display(step / (at_peak + adam_pass), 2)});
      const std::string key = fmt::format("{}/{}", inputs, batch);
      context.report.number("step/" + key, step);
      context.report.number("floor_with_adam/" + key, at_peak + adam_pass);
    }
  context.report.table(table);
}

void every_method(Context& context) {
  context.report.section("Training steps per second", "Each method that trains something; d = 18.");
  Frame table({"method", "batch 16", "batch 256"});
  for (const std::string& name : class_names()) {
    if (find_method(name).learning == Learning::none) continue;
    std::vector<Field> row = {name};
    for (const std::size_t batch : {16u, 256u}) {
      Training training(name, 18, batch);
      const double step = shortest([&] { training.step(); }, context.budget);
      row.push_back(display(1.0 / step, 0));
      context.report.number(fmt::format("steps_per_second/{}/{}", name, batch), 1.0 / step);
    }
    table.add(row);
  }
  context.report.table(table);
}

}  // namespace

void training_steps(Context& context) {
  against_floor(context);
  every_method(context);
}

void adam_passes(Context& context) {
  context.report.section("One Adam step on flat parameters",
                         "The fused pass of this library and ensmallen's update policy, float.");
  Frame table({"parameters", "ours, µs", "ensmallen, µs", "ensmallen / ours"});
  for (const std::size_t count : {42401u, 424010u}) {
    arma::fvec gradient(count), ours(count, arma::fill::zeros);
    Stream stream(5);
    for (float& g : gradient) g = static_cast<float>(stream.uniform());
    Adam<float> adam({}, count);
    arma::fmat theirs(count, 1, arma::fill::zeros);
    const arma::fmat gradient_matrix = gradient;
    ens::AdamUpdate update(1e-8, 0.9, 0.999);
    ens::AdamUpdate::Policy<arma::fmat, arma::fmat> policy(update, count, 1);
    const std::vector<double> best = shortest(
        {[&] { keep(adam.step(ours, gradient)); }, [&] { policy.Update(theirs, 1e-3, gradient_matrix); }},
        context.budget);
    table.add({std::to_string(count), display(1e6 * best[0], 1), display(1e6 * best[1], 1),
               display(best[1] / best[0], 2)});
    context.report.number("adam/" + std::to_string(count), best[0]);
    context.report.number("adam_ensmallen/" + std::to_string(count), best[1]);
  }
  context.report.table(table);
}

}  // namespace lacp::bench
