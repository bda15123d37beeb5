#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "lacp/conformal/method.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/trainer.hpp"
#include "sections.hpp"
#include "step_floor.hpp"
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
        trainer_(find_method(method), {}, {}, {}, {.learning_rate = 1e-5}, inputs, batch) {
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
  Trainer<float> trainer_;
};

std::string micro(double seconds) { return display(1e6 * seconds, 1); }

void against_floor(Context& context) {
  context.report.section(
      "A training step against its lower bound",
      "Five hidden layers of 100, float, method exp. In µs per step: the matrix products alone, straight to BLAS; a pass over Adam's\nstate that only multiplies and adds; Adam's own pass, with its square root and division. The lower bound is products and plain pass in one.");
  TextTable table{.header = {"d", "batch", "step", "products", "GFLOP/s", "plain pass", "Adam", "lower bound",
                             "step / lower bound", "step / (products + Adam)"},
                  .rows = {},
                  .source = ""};
  for (const std::size_t inputs : {8u, 18u, 53u})
    for (const std::size_t batch : {16u, 256u}) {
      Stream stream(3);
      Training training("exp", inputs, batch);
      StepFloor floor({.inputs = inputs}, batch, stream), alone({.inputs = inputs}, batch, stream);
      Adam<float> adam({.learning_rate = 1e-5}, floor.parameters());
      arma::fvec theta(floor.parameters(), arma::fill::zeros),
          gradient(theta.n_elem, arma::fill::value(0.01));
      const std::vector<double> best =
          shortest({[&] { training.step(); }, [&] { floor.products(); }, [&] { floor.stream(); },
                    [&] { adam.step(theta, gradient); }, [&] { alone.products(), alone.stream(); }},
                   context.budget);
      const auto [step, products, stream_pass, adam_pass, bound] =
          std::tie(best[0], best[1], best[2], best[3], best[4]);
      table.add({std::to_string(inputs), std::to_string(batch), micro(step), micro(products),
                 display(1e-9 * floor.operations() / products, 1), micro(stream_pass), micro(adam_pass),
                 micro(bound), display(step / bound, 2), display(step / (products + adam_pass), 2)});
      const std::string key = fmt::format("{}/{}", inputs, batch);
      context.report.number("step/" + key, step);
      context.report.number("floor/" + key, bound);
      context.report.number("floor_with_adam/" + key, products + adam_pass);
    }
  context.report.table(table);
}

void every_method(Context& context) {
  context.report.section("Training steps per second", "Each method that trains something; d = 18.");
  TextTable table{.header = {"method", "batch 16", "batch 256"}, .rows = {}, .source = ""};
  for (const std::string& name : method_names()) {
    if (find_method(name).learning == Learning::none) continue;
    std::vector<std::string> row = {name};
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
