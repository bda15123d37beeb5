// Objectives: values by their definition, gradients by central differences.
#include <doctest/doctest.h>

#include "lacp/conformal/paper/classes/transformations.hpp"
#include "lacp/conformal/registry.hpp"
#include "losses.hpp"

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

/// ℓ_θ of the class exp, s = e^(−g/2), as it is written.
double adaptation_by_definition(double theta, const Point& at) {
  const double a = (1.0 - theta) / theta;
  const arma::vec log_s = -0.5 * at.g.t();
  const double ratios = arma::mean(arma::exp(0.5 * at.log_a - log_s));
  const double sizes = a == 0.0 ? arma::mean(log_s) : std::log(arma::mean(arma::exp(a * log_s))) / a;
  return sizes + std::log(ratios);
}

Evaluation adaptation(double theta, const Point& at) {
  return evaluate(find_class("exp"), {}, {.kind = Objective::adaptation, .adaptation = theta}, at);
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
    for (const double theta : {0.05, 0.25, 0.5, 0.75, 1.0 - 1e-9, 1.0})
      if (method.scales != nullptr)
        check_gradient(method, with_gamma, {.kind = Objective::adaptation, .adaptation = theta});
  }
  // With the released code's offset and clamp, whose kinks lie at |r| = log 4: no score of these draws lies
  // within the step of one.
  for (const char* name : {"linear", "sigma"})
    for (const Loss loss : {Loss::plain, Loss::logarithm})
      for (const Objective kind : {Objective::all_levels, Objective::adaptation})
        check_gradient(
            find_class(name), released,
            {.kind = kind, .loss = loss, .released = {.square_root = false, .count_diagonal = true}});
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

TEST_CASE("ℓ_θ is the one defined, also where a → 0, and close to that") {
  const Point at = draw(find_class("exp"), 1);
  for (const double theta : {0.05, 0.25, 0.5, 0.75, 0.99, 1.0})
    CHECK(adaptation(theta, at).loss == near(adaptation_by_definition(theta, at), 1e-12));
  for (const double almost : {1e-6, 1e-9, 1e-12, 1e-16})  // (1/a) log mean s^a = mean log s + O(a)
    CHECK(adaptation(1.0 - almost, at).loss == near(adaptation_by_definition(1.0, at), 1e-7 + 2.0 * almost));
}

TEST_CASE("gradients of ℓ_θ are bounded, however far s is out, and errors of zero teach nothing") {
  for (const double theta : {1e-300, 1e-3, 0.25, 0.5, 1.0}) {
    CAPTURE(theta);
    Point at = draw(find_class("exp"), 5);
    at.g(0) = -10000.0, at.g(1) = 6000.0, at.log_a(2) = -HUGE_VAL;
    const Evaluation far = adaptation(theta, at);
    CHECK(std::isfinite(far.loss));
    CHECK(arma::abs(far.by_g).max() <= 0.5);  // 1 by log s
    at.log_a.fill(-HUGE_VAL);
    const Evaluation nothing = adaptation(theta, at);
    CHECK(nothing.loss == 0.0);
    CHECK(arma::abs(nothing.by_g).max() == 0.0);
  }
}
