// lib/test/fixtures.json: loss, gradients and Adam steps against PyTorch's autograd in float64.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <tuple>

#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/training/fit_localizer.hpp"
#include "reference_network.hpp"

using namespace lacp;

namespace {

/// Largest difference relative to the largest entry: entries that are tiny beside the others carry only
/// rounding.
template <class A, class B>
double relative_difference(const A& ours, const B& theirs) {
  REQUIRE(ours.n_elem == theirs.n_elem);
  double difference = 0.0, scale = 0.0;
  for (arma::uword i = 0; i < ours.n_elem; ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(ours(i)) - theirs(i)));
    scale = std::max(scale, std::abs(theirs(i)));
  }
  return scale == 0.0 ? difference : difference / scale;
}

arma::mat matrix(const YAML::Node& node) {
  const auto rows = node.as<std::vector<std::vector<double>>>();
  arma::mat m(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (arma::uword r = 0; r < m.n_rows; ++r) m.row(r) = arma::rowvec(rows[r]);
  return m;
}

/// Weights and biases of all layers in the order of the flat block.
arma::vec flat(const YAML::Node& layers) {
  arma::vec all;
  for (const YAML::Node& layer : layers)
    all = arma::join_cols(all, arma::vectorise(matrix(layer["weights"])),
                          arma::vec(layer["bias"].as<std::vector<double>>()));
  return all;
}

struct Fixture {
  YAML::Node yaml;  // JSON is yaml, too
  std::string method = yaml["method"].as<std::string>();
  arma::mat X = matrix(yaml["inputs"]).t();
  arma::vec log_a = arma::log(arma::vec(yaml["scores"].as<std::vector<double>>()));
  arma::vec parameters = flat(yaml["layers"]);
  arma::vec v = yaml["raw_weights"].as<std::vector<double>>();
  std::vector<std::size_t> hidden() const {
    std::vector<std::size_t> sizes;
    const auto layers = yaml["layers"];
    for (std::size_t l = 0; l + 1 < layers.size(); ++l) sizes.push_back(layers[l]["weights"].size());
    return sizes;
  }
};

/// Trainer in double, for a batch of all points.
class ReferenceTrainer {
 public:
  ReferenceTrainer(const TransformationClass& method, const TransformationOptions& transformation,
                   const NetworkOptions& network, const ObjectiveOptions& objective, const AdamOptions& adam,
                   std::size_t inputs, std::size_t batch)
      : method_(method),
        transformation_(transformation),
        objective_(objective),
        net_({.inputs = inputs, .hidden = network.hidden, .outputs = method.outputs}),
        optimiser_(adam, net_.parameters().n_elem),
        shared_optimiser_(adam, method.shared_start.size()),
        shared_gradient_(method.shared_start.size(), arma::fill::zeros),
        g_gradient_(method.outputs, batch),
        scratch_(batch) {}

  double evaluate(const arma::mat& X, const arma::vec& log_a, const std::vector<arma::uword>&) {
    const double loss = method_.loss(transformation_, objective_, log_a, net_.forward(X), shared_,
                                     g_gradient_, shared_gradient_, scratch_);
    net_.backward(g_gradient_);
    return loss;
  }
  void step(const arma::mat& X, const arma::vec& log_a, const std::vector<arma::uword>& rows) {
    evaluate(X, log_a, rows);
    REQUIRE_FALSE(optimiser_.step(net_.parameters(), net_.gradient()));
    REQUIRE_FALSE(shared_optimiser_.step(shared_, shared_gradient_));
  }
  ReferenceNetwork& net() { return net_; }
  arma::vec& shared() { return shared_; }
  const arma::vec& shared_gradient() const { return shared_gradient_; }
  const arma::mat& output_gradient() const { return g_gradient_; }

 private:
  TransformationClass method_;
  TransformationOptions transformation_;
  ObjectiveOptions objective_;
  ReferenceNetwork net_;
  Adam<double> optimiser_, shared_optimiser_;
  arma::vec shared_, shared_gradient_;
  arma::mat g_gradient_;
  ObjectiveScratch scratch_;
};

template <class T, class TrainerOfT>
void check(const Fixture& fixture, TrainerOfT trainer, double tolerance) {
  trainer.net().parameters() = arma::conv_to<arma::Col<T>>::from(fixture.parameters);
  trainer.shared() = fixture.v;
  const arma::Mat<T> X = arma::conv_to<arma::Mat<T>>::from(fixture.X);
  const std::vector<arma::uword> rows =
      arma::conv_to<std::vector<arma::uword>>::from(arma::regspace<arma::uvec>(0, X.n_cols - 1));

  const double loss = trainer.evaluate(X, fixture.log_a, rows);
  CHECK(std::abs(loss / fixture.yaml["loss"].as<double>() - 1.0) < tolerance);
  CHECK(relative_difference(trainer.net().gradient(), flat(fixture.yaml["grad_layers"])) < tolerance);
  if constexpr (std::is_same_v<T, double>) {
    CHECK(relative_difference(trainer.output_gradient(), arma::mat(matrix(fixture.yaml["grad_g"]).t())) <
          tolerance);
    CHECK(relative_difference(trainer.shared_gradient(),
                              arma::vec(fixture.yaml["grad_raw_weights"].as<std::vector<double>>())) <
          tolerance);
  }
  // Adding a constant to g changes nothing for exp, linear and sigma, so the exact gradient of the last bias
  // is zero; in float it is rounding noise, which Adam divides by its own size. Such parameters are compared
  // in double only.
  const arma::vec gradient = flat(fixture.yaml["grad_layers"]);
  const arma::uvec compared = std::is_same_v<T, double> ? arma::regspace<arma::uvec>(0, gradient.n_elem - 1)
                                                        : arma::uvec(arma::find(arma::abs(gradient) > 1e-14));
  CHECK(compared.n_elem > gradient.n_elem / 2);
  for (int step = 1; step <= 5; ++step) {
    trainer.step(X, fixture.log_a, rows);
    if (step != 1 && step != 5) continue;
    const arma::vec theirs = flat(fixture.yaml[fmt::format("layers_after_{}", step)]);
    const arma::Col<T> ours = trainer.net().parameters();
    CHECK(relative_difference(arma::Col<T>(ours(compared)), arma::vec(theirs(compared))) < tolerance);
    const arma::vec v = fixture.yaml[fmt::format("raw_weights_after_{}", step)].as<std::vector<double>>();
    CHECK(relative_difference(trainer.shared(), v) < tolerance);
  }
}

}  // namespace

TEST_CASE("loss, gradients and Adam steps agree with PyTorch") {
  const YAML::Node fixtures = YAML::LoadFile(LACP_SOURCE_DIR "/lib/test/fixtures.json");
  CHECK(fixtures.size() == 6);
  for (const YAML::Node& yaml : fixtures) {
    CAPTURE(yaml["method"].as<std::string>());
    const Fixture fixture{.yaml = yaml};
    const auto arguments = std::tuple(
        find_class(fixture.method), TransformationOptions{.gamma = yaml["gamma"].as<double>()},
        NetworkOptions{.hidden = fixture.hidden()}, ObjectiveOptions{.loss = Loss::plain},
        AdamOptions{.learning_rate = yaml["learning_rate"].as<double>()}, fixture.X.n_rows, fixture.X.n_cols);
    check<double>(fixture, std::make_from_tuple<ReferenceTrainer>(arguments), 1e-10);
    check<float>(fixture, std::apply(make_trainer, arguments), 1e-4);
  }
}
