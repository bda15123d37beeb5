// lib/test/fixtures.json: loss, gradients and Adam steps against PyTorch's autograd in float64.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <numeric>

#include "lacp/conformal/paper/training/fit_localizer.hpp"
#include "lacp/conformal/registry.hpp"
#include "losses.hpp"

using namespace lacp;

namespace {

/// Compared relative to the largest entry: entries that are tiny beside the others carry only rounding.
void check_close(const arma::mat& ours, const arma::mat& theirs, double tolerance) {
  REQUIRE(arma::size(ours) == arma::size(theirs));
  if (ours.empty()) return;
  CHECK(arma::abs(ours - theirs).max() <= tolerance * arma::abs(theirs).max());
}

arma::vec numbers(const YAML::Node& node) { return node.as<std::vector<double>>(); }

/// A row of the file is a column.
arma::mat columns(const YAML::Node& node) {
  arma::mat m;
  for (const YAML::Node& row : node) m = arma::join_rows(m, numbers(row));
  return m;
}

/// Weights and biases of all layers in the order of the flat block.
arma::vec flat(const YAML::Node& layers) {
  arma::vec all;
  for (const YAML::Node& layer : layers)
    all = arma::join_cols(all, arma::vectorise(columns(layer["weights"]), 1).t(), numbers(layer["bias"]));
  return all;
}

}  // namespace

TEST_CASE("loss, gradients and Adam steps agree with PyTorch") {
  const YAML::Node fixtures = YAML::LoadFile(LACP_SOURCE_DIR "/lib/test/fixtures.json");  // JSON is yaml, too
  CHECK(fixtures.size() == 6);
  for (const YAML::Node& yaml : fixtures) {
    CAPTURE(yaml["method"].as<std::string>());
    const TransformationClass& method = find_class(yaml["method"].as<std::string>());
    const TransformationOptions transformation{.gamma = yaml["gamma"].as<double>()};
    const ObjectiveOptions objective{.loss = Loss::plain};
    const LossPoint at{arma::log(numbers(yaml["scores"])), columns(yaml["g"]), numbers(yaml["raw_weights"])};
    const double loss = yaml["loss"].as<double>();
    const Evaluation exact = evaluate(method, transformation, objective, at);
    CHECK(exact.loss == near_share(loss, 1e-10));
    check_close(exact.by_g, columns(yaml["grad_g"]), 1e-10);
    check_close(exact.by_v, numbers(yaml["grad_raw_weights"]), 1e-10);

    const arma::fmat X = arma::conv_to<arma::fmat>::from(columns(yaml["inputs"]));
    NetworkOptions network{.hidden = {}};
    for (const YAML::Node& layer : yaml["layers"]) network.hidden.push_back(layer["bias"].size());
    network.hidden.pop_back();
    Trainer trainer = make_trainer(method, transformation, network, objective,
                                   {.learning_rate = yaml["learning_rate"].as<double>()}, X.n_rows, X.n_cols);
    const arma::vec start = flat(yaml["layers"]), gradient = flat(yaml["grad_layers"]);
    trainer.net().parameters() = arma::conv_to<arma::fvec>::from(start);
    trainer.shared() = at.v;
    std::vector<arma::uword> rows(X.n_cols);
    std::iota(rows.begin(), rows.end(), arma::uword{0});
    // Adam divides a gradient by its own size, so where it is nearly zero the step is that of rounding:
    // adding a constant to g changes nothing for exp, linear and sigma, and the last bias has no gradient.
    const arma::uvec compared = arma::find(arma::abs(gradient) > 1e-3 * arma::abs(gradient).max());
    CHECK(compared.n_elem > gradient.n_elem / 3);
    for (int step = 1; step <= 5; ++step) {
      const double loss_before = trainer.step(X, at.log_a, rows).loss;
      if (step == 1) {
        CHECK(loss_before == near_share(loss, 1e-4));
        check_close(arma::conv_to<arma::vec>::from(trainer.net().gradient()), gradient, 1e-4);
      }
      if (step != 1 && step != 5) continue;
      const arma::vec moved = arma::conv_to<arma::vec>::from(trainer.net().parameters()) - start,
                      expected = flat(yaml[fmt::format("layers_after_{}", step)]) - start;
      check_close(moved(compared), expected(compared), 1e-3);
      check_close(trainer.shared() - at.v, numbers(yaml[fmt::format("raw_weights_after_{}", step)]) - at.v,
                  1e-3);
    }
  }
}
