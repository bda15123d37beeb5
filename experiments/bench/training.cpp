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

/// Multiplications and additions per second that the inner loop of the kernels in use can do at most: a
/// product of numbers that never leave the nearest cache. The processor's own peak is above that, by what
/// loads cost.
double kernel_peak(double budget) {
  constexpr std::size_t rows = 60, columns = 240, terms = 1000;
  const std::vector<float> a(rows, 0.5f), b(columns, 0.5f);
  std::vector<float> c(rows * columns);
  const double seconds = shortest(
      [&] {
        kernels().product({.rows = rows,
                           .columns = columns,
                           .terms = terms,
                           .a = {a.data(), 1, 0},
                           .b = {b.data(), 0},
                           .c = {c.data(), columns}});
        keep(c);
      },
      budget);
  return 2.0 * static_cast<double>(rows * columns * terms) / seconds;
}

}  // namespace

Passes::Passes(const MlpShape& shape, std::size_t batch, Stream& stream)
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
  const double peak = kernel_peak(context.budget);
  context.report.section(
      "A training step against its lower bound",
      fmt::format(
          "Five hidden layers of 100, float, method exp; kernels {}, which do at most {:.1f} GFLOP/s. In µs per step, and in\nbrackets the share of that peak: the forward pass, and the backward pass with the gradient, each by itself.\nThe lower bound is the products of both at the peak, and Adam's own pass, with its square root and division.",
          kernels().name, 1e-9 * peak));
  Frame table(
      {"d", "batch", "step", "forward", "backward", "Adam", "products at peak + Adam", "step / that"});
  context.report.number("kernel_peak", peak);
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
