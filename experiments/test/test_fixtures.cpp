// Every file in lib/test/fixtures: loss, gradients and Adam steps against PyTorch's autograd in float64.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>

#include "../../lib/test/reference_network.hpp"
#include "io/yaml.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/trainer.hpp"

using namespace lacp;
namespace fs = std::filesystem;

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

arma::mat matrix(const std::vector<std::vector<double>>& rows) {
  arma::mat m(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (arma::uword r = 0; r < m.n_rows; ++r) m.row(r) = arma::rowvec(rows[r]);
  return m;
}

/// Weights and biases of all layers in the order of the flat block.
arma::vec flat(const std::vector<YamlMap>& layers) {
  arma::vec all;
  for (const YamlMap& layer : layers)
    all = arma::join_cols(all, arma::vectorise(matrix(layer.rows("weights"))),
                          arma::vec(layer.get<std::vector<double>>("bias")));
  return all;
}

struct Fixture {
  YamlMap yaml;
  std::string method = yaml.get<std::string>("method");
  arma::mat X = matrix(yaml.rows("inputs")).t();
  arma::vec log_a = arma::log(arma::vec(yaml.get<std::vector<double>>("scores")));
  arma::vec parameters = flat(yaml.maps("layers"));
  arma::vec v = yaml.get<std::vector<double>>("raw_weights");
  std::vector<std::size_t> hidden() const {
    std::vector<std::size_t> sizes;
    const auto layers = yaml.maps("layers");
    for (std::size_t l = 0; l + 1 < layers.size(); ++l) sizes.push_back(layers[l].rows("weights").size());
    return sizes;
  }
};

/// Trainer in double, for a batch of all points.
class ReferenceTrainer {
 public:
  ReferenceTrainer(const Method& method, const TransformationOptions& transformation,
                   const NetworkOptions& network, const ObjectiveOptions& objective, const AdamOptions& adam,
                   std::size_t inputs, std::size_t batch)
      : method_(method),
        transformation_(transformation),
        objective_(objective),
        net_({.inputs = inputs, .hidden = network.hidden, .outputs = method.outputs}),
        optimiser_(adam, net_.parameters().n_elem),
        shared_optimiser_(adam, method.shared),
        shared_gradient_(method.shared, arma::fill::zeros),
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
  Method method_;
  TransformationOptions transformation_;
  ObjectiveOptions objective_;
  ReferenceNetwork net_;
  Adam<double> optimiser_, shared_optimiser_;
  arma::vec shared_, shared_gradient_;
  arma::mat g_gradient_;
  ObjectiveScratch scratch_;
};

template <class T, class TrainerOfT>
void check(const Fixture& fixture, double tolerance) {
  TrainerOfT trainer(find_method(fixture.method), {.gamma = fixture.yaml.get<double>("gamma")},
                     {.hidden = fixture.hidden()}, {.loss = Loss::plain},
                     {.learning_rate = fixture.yaml.get<double>("learning_rate")}, fixture.X.n_rows,
                     fixture.X.n_cols);
  trainer.net().parameters() = arma::conv_to<arma::Col<T>>::from(fixture.parameters);
  trainer.shared() = fixture.v;
  const arma::Mat<T> X = arma::conv_to<arma::Mat<T>>::from(fixture.X);
  const std::vector<arma::uword> rows =
      arma::conv_to<std::vector<arma::uword>>::from(arma::regspace<arma::uvec>(0, X.n_cols - 1));

  const double loss = trainer.evaluate(X, fixture.log_a, rows);
  CHECK(std::abs(loss / fixture.yaml.get<double>("loss") - 1.0) < tolerance);
  CHECK(relative_difference(trainer.output_gradient(), arma::mat(matrix(fixture.yaml.rows("grad_g")).t())) <
        tolerance);
  CHECK(relative_difference(trainer.net().gradient(), flat(fixture.yaml.maps("grad_layers"))) < tolerance);
  CHECK(relative_difference(trainer.shared_gradient(), arma::vec(fixture.yaml.get<std::vector<double>>(
                                                           "grad_raw_weights"))) < tolerance);
  // Adding a constant to g changes nothing for exp, linear and sigma, so the exact gradient of the last bias
  // is zero; in float it is rounding noise, which Adam divides by its own size. Such parameters are compared
  // in double only.
  const arma::vec gradient = flat(fixture.yaml.maps("grad_layers"));
  const arma::uvec compared = std::is_same_v<T, double> ? arma::regspace<arma::uvec>(0, gradient.n_elem - 1)
                                                        : arma::uvec(arma::find(arma::abs(gradient) > 1e-14));
  CHECK(compared.n_elem > gradient.n_elem / 2);
  for (int step = 1; step <= 5; ++step) {
    trainer.step(X, fixture.log_a, rows);
    if (step != 1 && step != 5) continue;
    const arma::vec theirs = flat(fixture.yaml.maps(fmt::format("layers_after_{}", step)));
    const arma::Col<T> ours = trainer.net().parameters();
    CHECK(relative_difference(arma::Col<T>(ours(compared)), arma::vec(theirs(compared))) < tolerance);
    const arma::vec v = fixture.yaml.get<std::vector<double>>(fmt::format("raw_weights_after_{}", step));
    CHECK(relative_difference(trainer.shared(), v) < tolerance);
  }
}

}  // namespace

TEST_CASE("loss, gradients and Adam steps agree with PyTorch") {
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(LACP_SOURCE_DIR) / "lib/test/fixtures")) {
    if (entry.path().extension() != ".json") continue;
    CAPTURE(entry.path().filename().string());
    const Fixture fixture{.yaml = YamlMap::load(entry.path())};
    check<double, ReferenceTrainer>(fixture, 1e-10);
    check<float, Trainer>(fixture, 1e-4);
    ++seen;
  }
  CHECK(seen >= 6);
}
