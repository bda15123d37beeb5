// Objectives: values by their definition, gradients by central differences.
#include <doctest/doctest.h>

#include "lacp/base/random.hpp"
#include "lacp/conformal/make_method.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/transformations.hpp"

using namespace lacp;

namespace {

constexpr std::size_t batch = 12;
const TransformationOptions with_gamma{.gamma = 0.05};
const TransformationOptions released{.gamma = 1e-2, .minus_g = true, .log_offset = 1e-2, .logit_clamp = 0.2};

/// A scale family seen as a general class in z = log A: φ(z) = z − 2 log s, inverted by the root-finder.
template <class F>
struct AsGeneral {
  static constexpr std::size_t outputs = 1, shared = 0;
  F family;
  explicit AsGeneral(const TransformationOptions& options) : family(options) {}
  struct At {
    double log_scale, slope_of_scale;
    double phi(double z) const { return z - 2.0 * log_scale; }
    double slope(double) const { return 1.0; }
    void gradient(double, double* by_g, double*) const { by_g[0] = -2.0 * slope_of_scale; }
  };
  At at(const double* g, const double*) const {
    return {family.log_scale(g[0]), family.log_scale_slope(g[0])};
  }
};

struct Point {
  arma::vec log_a;
  arma::mat g;
  arma::vec v;
};

Point draw(const Method& method, std::uint64_t seed) {
  Stream stream(seed);
  Point point{arma::vec(batch), arma::mat(method.outputs, batch), arma::vec(method.shared)};
  for (double& value : point.log_a) value = 2.0 * std::log(std::abs(stream.normal()));
  for (double& value : point.g) value = stream.normal();
  for (double& value : point.v) value = 0.5 * stream.normal();
  return point;
}

struct Evaluation {
  double loss;
  arma::mat by_g;
  arma::vec by_v;
};

Evaluation evaluate(const Method& method, const TransformationOptions& transformation,
                    const ObjectiveOptions& options, const Point& at) {
  ObjectiveScratch scratch(batch);
  Evaluation e{0.0, arma::mat(arma::size(at.g)), arma::vec(at.v.n_elem)};
  e.loss = method.loss(transformation, options, at.log_a, at.g, at.v, e.by_g, e.by_v, scratch);
  return e;
}

/// Central differences with step h have an error of h²/6 · f‴ plus eps/h: 1e-8 at h = 1e-5 for functions of
/// size one.
void check_gradient(const Method& method, const TransformationOptions& transformation,
                    const ObjectiveOptions& options) {
  CAPTURE(method.name);
  CAPTURE(options.all_levels);
  CAPTURE(options.square_root);
  const Point point = draw(method, 11);
  const Evaluation exact = evaluate(method, transformation, options, point);
  const double h = 1e-5, scale = 1.0 + arma::abs(exact.by_g).max();
  const auto difference = [&](auto&& entry) {
    Point up = point, down = point;
    entry(up) += h, entry(down) -= h;
    return (evaluate(method, transformation, options, up).loss -
            evaluate(method, transformation, options, down).loss) /
           (2.0 * h);
  };
  for (arma::uword i = 0; i < point.g.n_elem; ++i)
    CHECK(std::abs(exact.by_g(i) - difference([&](Point& p) -> double& { return p.g(i); })) < 1e-7 * scale);
  for (arma::uword i = 0; i < point.v.n_elem; ++i)
    CHECK(std::abs(exact.by_v(i) - difference([&](Point& p) -> double& { return p.v(i); })) < 1e-7 * scale);
}

/// The paper's definition, pair by pair, from φ and φ⁻¹ as written.
template <class F>
double by_definition(const F& family, const Point& at, const ObjectiveOptions& options) {
  double sum = 0.0;
  for (std::size_t n = 0; n < batch; ++n)
    for (std::size_t m = 0; m < batch; ++m)
      if (n != m) {
        const double pre = family.inverse(family.phi(std::exp(at.log_a(n)), at.g(n)), at.g(m));
        sum += options.square_root ? std::sqrt(pre) : pre;
      }
  return sum / static_cast<double>(batch * (options.count_diagonal ? batch : batch - 1));
}

}  // namespace

TEST_CASE("gradients of every method and objective by central differences") {
  for (const std::string& name : method_names()) {
    const Method& method = find_method(name);
    if (method.learning == Learning::none) continue;
    for (const bool all_levels : {true, false})
      for (const bool square_root : {true, false})
        check_gradient(method, with_gamma,
                       {.all_levels = all_levels, .level = Level::parse("0.32"), .square_root = square_root});
    check_gradient(method, with_gamma, {.squared_error_fit = true});
  }
}

TEST_CASE("gradients with the released code's offset and clamp") {
  // The clamp's kinks lie at |r| = log 4; with these draws no score lies within the step of one.
  for (const char* name : {"linear", "sigma"})
    check_gradient(find_method(name), released, {.square_root = false, .count_diagonal = true});
}

TEST_CASE("the O(B) objective is the mean over pairs that the paper defines") {
  for (const bool square_root : {true, false})
    for (const bool count_diagonal : {true, false}) {
      const ObjectiveOptions options{.square_root = square_root, .count_diagonal = count_diagonal};
      const auto check = [&](const auto& family, const char* name) {
        const Point point = draw(find_method(name), 21);
        CAPTURE(name);
        CHECK(evaluate(find_method(name), with_gamma, options, point).loss ==
              doctest::Approx(by_definition(family, point, options)).epsilon(1e-12));
      };
      check(Erc(with_gamma), "erc");
      check(Linear(with_gamma), "linear");
      check(Exp(with_gamma), "exp");
      check(Sigma(with_gamma), "sigma");
    }
}

TEST_CASE("the O(B) path and the pairwise path agree in value and gradient") {
  const auto check = [&](const Method& separable, const Method& pairwise) {
    CAPTURE(separable.name);
    const Point point = draw(separable, 31);
    for (const bool all_levels : {true, false}) {
      const ObjectiveOptions options{.all_levels = all_levels, .level = Level::parse("0.32")};
      const Evaluation fast = evaluate(separable, with_gamma, options, point);
      const Evaluation slow = evaluate(pairwise, with_gamma, options, point);
      CHECK(fast.loss == doctest::Approx(slow.loss).epsilon(1e-12));
      CHECK(arma::approx_equal(fast.by_g, slow.by_g, "absdiff", 1e-12));
    }
  };
  check(find_method("exp"), make_method<AsGeneral<Exp>>("exp by pairs", Learning::size));
  check(find_method("erc"), make_method<AsGeneral<Erc>>("erc by pairs", Learning::size));
}

TEST_CASE("one level: the mean leave-one-out half-width at that level") {
  const Method& method = find_method("exp");
  const Point point = draw(method, 41);
  const Level level = Level::parse("0.32");
  arma::vec b;
  method.scores(with_gamma, point.log_a, point.g, point.v, b);
  double sum = 0.0;
  for (arma::uword m = 0; m < batch; ++m) {
    arma::vec others = b;
    others.shed_row(m);
    const double q = arma::sort(others).eval()(level.rank(batch - 1) - 1);
    sum += std::exp(0.5 * q - 0.5 * point.g(m));
  }
  CHECK(evaluate(method, with_gamma, {.all_levels = false, .level = level}, point).loss ==
        doctest::Approx(sum / batch).epsilon(1e-12));
}

TEST_CASE("scores of zero and of any size leave the objective finite") {
  const Method& method = find_method("exp");
  Point point = draw(method, 51);
  point.log_a(3) = -arma::datum::inf;
  point.log_a(5) = 2.0 * std::log(1e150);
  point.g.fill(300.0);  // e^{g} and e^{−g} cancel only in the logarithm
  point.g(0) = -300.0;
  const Evaluation e = evaluate(method, with_gamma, {}, point);
  CHECK(std::isfinite(e.loss));
  CHECK(e.by_g.is_finite());
  point.log_a.fill(-arma::datum::inf);
  const Evaluation zero = evaluate(method, with_gamma, {}, point);
  CHECK(zero.loss == 0.0);
  CHECK(arma::abs(zero.by_g).max() == 0.0);
}
