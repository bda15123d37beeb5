// Objectives: values by their definition, gradients by central differences, and lib/test/fixtures.json: loss,
// gradients and Adam steps against PyTorch's autograd in float64.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <numeric>

#include "lacp/classes/transformations.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/training/fit_localizer.hpp"
#include "losses.hpp"
#include "with_adapt.hpp"

using namespace lacp;

namespace {

constexpr std::size_t batch = 12;
const TransformationOptions released{.gamma = 1e-2,
                                     .released = {.minus_g = true, .log_offset = 1e-2, .logit_clamp = 0.2}};

using Point = LossPoint;

Point draw(const TransformationClass& method, std::uint64_t seed) {
  Stream stream(seed);
  return draw_point(method, batch, 1.0, 0.5, stream);
}

/// Central differences with step h have an error of h²/6 · f‴ plus eps/h: 1e-8 at h = 1e-5 for functions of
/// size one.
void check_gradient(const TransformationClass& method, const TransformationOptions& transformation,
                    const ObjectiveOptions& options) {
  INFO(method.outputs, " ", static_cast<int>(options.kind), " ", options.released.square_root, " ",
       static_cast<int>(options.loss));
  Point point = draw(method, 11);
  if (method.learning == Learning::own) point.g += arma::sign(point.g);  // away from the kink of |g|
  const Evaluation exact = evaluate(method, transformation, options, point);
  const double scale = 1.0 + arma::abs(exact.by_g).max();
  const auto check = [&](double& at, double found) {
    const auto loss = [&] { return evaluate(method, transformation, options, point).loss; };
    CHECK(found == near(slope_of(at, loss, 1e-5), 1e-7 * scale));
  };
  for (arma::uword i = 0; i < point.g.n_elem; ++i) check(point.g(i), exact.by_g(i));
  for (arma::uword i = 0; i < point.v.n_elem; ++i) check(point.v(i), exact.by_v(i));
}

/// The paper's definition, pair by pair, from φ and φ⁻¹ as written.
template <class F>
double by_definition(const F& family, const Point& at, const ObjectiveOptions& options) {
  double sum = 0.0;
  for (std::size_t n = 0; n < batch; ++n)
    for (std::size_t m = 0; m < batch; ++m)
      if (n != m) {
        const double pre = family.inverse(family.phi(std::exp(at.log_a(n)), at.g(n)), at.g(m));
        sum += options.released.square_root ? std::sqrt(pre) : pre;
      }
  return sum / static_cast<double>(batch * (options.released.count_diagonal ? batch : batch - 1));
}

}  // namespace

TEST_CASE("gradients of every method and objective by central differences") {
  for (const std::string& name : class_names()) {
    const TransformationClass& method = find_class(name);
    if (method.learning == Learning::none) continue;
    for (const Objective kind : {Objective::all_levels, Objective::one_level})
      for (const bool square_root : {true, false})
        for (const Loss loss : {Loss::plain, Loss::logarithm})
          check_gradient(
              method, with_gamma,
              {.kind = kind, .level = Level(0.32), .loss = loss, .released = {.square_root = square_root}});
    check_gradient(method, with_gamma, {.released = {.squared_error_fit = true}});
  }
  // With the released code's offset and clamp, whose kinks lie at |r| = log 4: no score of these draws lies
  // within the step of one.
  for (const char* name : {"linear", "sigma"})
    for (const Loss loss : {Loss::plain, Loss::logarithm})
      check_gradient(find_class(name), released,
                     {.loss = loss, .released = {.square_root = false, .count_diagonal = true}});
}

TEST_CASE("the O(B) objective is the mean over pairs that the paper defines") {
  for (const bool square_root : {true, false})
    for (const bool count_diagonal : {true, false}) {
      const ObjectiveOptions options{
          .loss = Loss::plain, .released = {.square_root = square_root, .count_diagonal = count_diagonal}};
      const auto check = [&](const auto& family, const char* name) {
        const Point point = draw(find_class(name), 21);
        CAPTURE(name);
        CHECK(evaluate(find_class(name), with_gamma, options, point).loss ==
              near_share(by_definition(family, point, options), 1e-12));
      };
      check(Erc(with_gamma), "erc");
      check(Linear(with_gamma), "linear");
      check(Exp(with_gamma), "exp");
      check(Sigma(with_gamma), "sigma");
    }
}

TEST_CASE("one level: the mean leave-one-out half-width at that level") {
  const TransformationClass& method = find_class("exp");
  const Point point = draw(method, 41);
  const Level level = Level(0.32);
  const arma::vec b = method.scores(with_gamma, point.log_a, point.g, point.v);
  double sum = 0.0;
  for (arma::uword m = 0; m < batch; ++m) {
    arma::vec others = b;
    others.shed_row(m);
    const double q = arma::sort(others).eval()(level.rank(batch - 1) - 1);
    sum += std::exp(0.5 * q - 0.5 * point.g(m));
  }
  CHECK(
      evaluate(method, with_gamma, {.kind = Objective::one_level, .level = level, .loss = Loss::plain}, point)
          .loss == near_share(sum / batch, 1e-12));
}

TEST_CASE("the logarithm of the loss has its value, zero scores teach nothing, and none is too large") {
  for (const std::string& name : class_names()) {
    const TransformationClass& method = find_class(name);
    if (method.learning != Learning::size) continue;
    for (const Objective kind : {Objective::all_levels, Objective::one_level}) {
      INFO(name, " ", static_cast<int>(kind));
      const ObjectiveOptions plain{.kind = kind, .level = Level(0.32), .loss = Loss::plain},
          logarithm{.kind = kind, .level = Level(0.32)};
      Point point = draw(method, 61);
      CHECK(evaluate(method, with_gamma, logarithm, point).loss ==
            near(std::log(evaluate(method, with_gamma, plain, point).loss), 1e-13));
      if (method.scales == nullptr) continue;
      point.log_a(3) = -arma::datum::inf, point.log_a(5) = 2.0 * std::log(1e150);
      for (const ObjectiveOptions& options : {plain, logarithm}) {
        const Evaluation some = evaluate(method, with_gamma, options, point);
        CHECK(std::isfinite(some.loss));
        CHECK(some.by_g.is_finite());
        Point zeros = point;
        zeros.log_a.fill(-arma::datum::inf);
        const Evaluation none = evaluate(method, with_gamma, options, zeros);
        CHECK(none.loss == 0.0);
        CHECK(arma::abs(none.by_g).max() == 0.0);
      }
    }
  }
}

TEST_CASE("the logarithm of a loss that overflows is finite, and so is its gradient") {
  for (const char* name : {"exp", "linear", "sigma"})
    for (const Objective kind : {Objective::all_levels, Objective::one_level}) {
      CAPTURE(name);
      Point point = draw(find_class(name), 71);
      point.g(0) = -5000.0, point.g(1) = 3000.0;
      ObjectiveOptions options{.kind = kind, .level = Level(0.32), .loss = Loss::plain};
      CHECK_FALSE(std::isfinite(evaluate(find_class(name), with_gamma, options, point).loss));
      options.loss = Loss::logarithm;
      const Evaluation e = evaluate(find_class(name), with_gamma, options, point);
      CHECK(e.loss > 1000.0);
      CHECK(e.loss < 5000.0);
      CHECK(arma::abs(e.by_g).max() <= 0.5);
      CHECK(arma::abs(e.by_g).max() > 0.1);
    }
  // mixture: a loss whose gradient no float can hold
  const TransformationClass& mixture = find_class("mixture");
  Point point = draw(mixture, 72);
  point.log_a(4) = 200.0;
  const Evaluation plain = evaluate(mixture, with_gamma, {.loss = Loss::plain}, point);
  const Evaluation logarithm = evaluate(mixture, with_gamma, {}, point);
  CHECK(arma::abs(plain.by_g).max() > 3.4e38);
  CHECK(arma::abs(logarithm.by_g).max() < 10.0);
  CHECK(logarithm.loss == near(std::log(plain.loss), 1e-12));
}

TEST_CASE("the logarithm is exact where one point is both the largest score and the widest interval") {
  // Then the sum over pairs is what is left of a product after its largest term, e^{90} times as large, is
  // taken out.
  const TransformationClass& method = find_class("exp");
  Point point = draw(method, 81);
  point.log_a(2) = 180.0, point.g(2) = -90.0;  // u = 45 and t = 45 above the others
  std::vector<double> terms;
  for (std::size_t n = 0; n < batch; ++n)
    for (std::size_t m = 0; m < batch; ++m)
      if (n != m) terms.push_back(0.5 * (point.log_a(n) + point.g(n) - point.g(m)));
  const double top = *std::ranges::max_element(terms);
  double sum = 0.0;
  for (const double term : terms) sum += std::exp(term - top);
  const Evaluation e = evaluate(method, with_gamma, {}, point);
  CHECK(e.loss == near_share(top + std::log(sum / static_cast<double>(terms.size())), 1e-14));
  CHECK(std::abs(arma::accu(e.by_g)) < 1e-14);  // a common shift of g changes nothing
}

TEST_CASE("ℓ_1 is the one defined; its gradient is bounded far out, and errors of zero teach nothing") {
  Point at = draw(find_class("adapt"), 5);
  at.v = arma::vec(find_class("adapt").shared_start);
  const auto adaptation = [&] { return evaluate(find_class("adapt"), {}, {}, at); };
  const arma::vec log_s = -0.5 * at.g.t();
  const double ratios = arma::mean(arma::exp(0.5 * at.log_a - log_s));
  CHECK(adaptation().loss == near(arma::mean(log_s) + std::log(ratios), 1e-12));
  at.g(0) = -10000.0, at.g(1) = 6000.0, at.log_a(2) = -HUGE_VAL;
  const Evaluation far = adaptation();
  CHECK(std::isfinite(far.loss));
  CHECK(arma::abs(far.by_g).max() <= 0.5);  // 1 by log s
  at.log_a.fill(-HUGE_VAL);
  const Evaluation nothing = adaptation();
  CHECK(nothing.loss == 0.0);
  CHECK(arma::abs(nothing.by_g).max() == 0.0);
}

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
