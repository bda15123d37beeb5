#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/training/fit_localizer.hpp"
#include "lacp/model/kernels/kernels.hpp"
#include "sections.hpp"
#include "step_products.hpp"
#include "timing.hpp"

namespace lacp::bench {
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

}  // namespace lacp::bench
