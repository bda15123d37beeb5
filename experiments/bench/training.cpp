// A training step against its lower bound.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "bench.hpp"
#include "lacp/base/random.hpp"
#include "lacp/conformal/paper/training/fit_localizer.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/model/adam.hpp"
#include "lacp/model/kernels/kernels.hpp"
#include "lacp/model/mlp.hpp"

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

#if defined(LACP_FMA)
/// `times` additions to each of N sums. The factors lie in two registers, since y is changed first: a
/// Neoverse-V1 is half as fast where both are the same one.
#define LACP_MANY_FMAS(name, target, V)                                            \
  template <int N>                                                                 \
  target void name(std::size_t times) {                                            \
    V sum[N] = {}, x = {}, y = {};                                                 \
    LACP_FMA(y, x, x);                                                             \
    for (std::size_t t = 0; t < times; ++t)                                        \
      _Pragma("GCC unroll 32") for (int n = 0; n < N; ++n) LACP_FMA(sum[n], x, y); \
  }
LACP_MANY_FMAS(many_fmas, LACP_TARGET, Vector)
#if defined(__x86_64__)
LACP_MANY_FMAS(many_wide_fmas, [[gnu::target("avx512f")]], Wide)
#endif
#endif

/// Multiplications and additions per second that one core can do at most; how many sums keep all pipes busy
/// differs between processors. A processor without such an instruction is given the speed of none.
double fma_peak(double budget) {
  constexpr std::size_t times = 10'000;
  double best = 0.0;
  const auto measure = [&](void (*fmas)(std::size_t), std::size_t sums, std::size_t lanes) {
    best = std::max(
        best, 2.0 * static_cast<double>(lanes * sums * times) / shortest([&] { fmas(times); }, 0.2 * budget));
  };
#if defined(__aarch64__)
  measure(many_fmas<8>, 8, 4), measure(many_fmas<12>, 12, 4), measure(many_fmas<24>, 24, 4);
#elif defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    measure(many_wide_fmas<8>, 8, 16), measure(many_wide_fmas<12>, 12, 16),
        measure(many_wide_fmas<24>, 24, 16);
  else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    measure(many_fmas<8>, 8, 8), measure(many_fmas<10>, 10, 8), measure(many_fmas<12>, 12, 8);
#endif
  return best;
}

/// The passes of a training step through a network, each by itself.
struct Passes {
  Passes(const MlpShape& shape, std::size_t batch, Stream& stream)
      : net(shape, batch), X(shape.inputs, batch), by_output(shape.outputs, batch) {
    net.initialise(stream);
    for (arma::fmat* values : {&X, &by_output})
      for (float& value : *values) value = static_cast<float>(stream.uniform(-0.1, 0.1));
    for (const MlpLayer& layer : layers_of(shape)) {
      const double product = 2.0 * static_cast<double>(layer.inputs * layer.outputs * batch);
      forward_operations += product;
      backward_operations += layer.offset == 0 ? product : 2.0 * product;  // nothing goes back to the inputs
    }
    forward();
  }

  void forward() { keep(net.forward(X)); }
  void backward() { net.backward(by_output); }  ///< with the gradient

  Mlp net;
  arma::fmat X, by_output;
  double forward_operations = 0.0, backward_operations = 0.0;  ///< of the matrix products
};

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
          "Five hidden layers of 100, float, method exp; kernels {}, fma peak of the core {:.1f} GFLOP/s. In µs per step, and in\nbrackets the share of that peak: the forward pass, and the backward pass with the gradient, each by itself.\nThe lower bound is the products of both at the peak, and Adam's own pass, with its square root and division.",
          kernels().name, 1e-9 * peak));
  Frame table(
      {"d", "batch", "step", "forward", "backward", "Adam", "products at peak + Adam", "step / that"});
  for (const std::size_t inputs : {8u, 18u, 53u})
    for (const std::size_t batch : {16u, 256u}) {
      Stream stream(3);
      Training training("exp", inputs, batch);
      Passes passes({.inputs = inputs}, batch, stream);
      Adam<float> adam({.learning_rate = 1e-5}, passes.net.parameters().n_elem);
      arma::fvec theta(passes.net.parameters().n_elem, arma::fill::zeros),
          gradient(theta.n_elem, arma::fill::value(0.01));
      const std::vector<double> best =
          shortest({[&] { training.step(); }, [&] { passes.forward(); }, [&] { passes.backward(); },
                    [&] { keep(adam.step(theta, gradient)); }},
                   context.budget);
      const auto [step, forward, backward, adam_pass] = std::tie(best[0], best[1], best[2], best[3]);
      const double at_peak = (passes.forward_operations + passes.backward_operations) / peak;
      table.add({std::to_string(inputs), std::to_string(batch), micro(step),
                 with_share(forward, passes.forward_operations, peak),
                 with_share(backward, passes.backward_operations, peak), micro(adam_pass),
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
      row.push_back(display(1.0 / shortest([&] { training.step(); }, context.budget), 0));
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

}  // namespace lacp::bench
