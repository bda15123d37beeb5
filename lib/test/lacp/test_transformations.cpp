// The classes of transformations, the paper's examples, and a class that this test adds.
#include "lacp/classes/make_method.hpp"
#include "lacp/classes/transformations.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/registry.hpp"
#include "random_rows.hpp"
#include "said.hpp"

using namespace lacp;

namespace {

/// The class of Section 2.5.1, φ = √A − θx, with g = θx: increasing in A, but its codomain [−θx, ∞) depends
/// on x.
struct Shift {
  static constexpr std::size_t outputs = 1, shared = 0;
  explicit Shift(const TransformationOptions&) {}
  struct At {
    double shift;
    double phi(double z) const { return std::exp(0.5 * z) - shift; }
    double slope(double z) const { return 0.5 * std::exp(0.5 * z); }
    void gradient(double, double* by_g, double*) const { by_g[0] = -1.0; }
    std::optional<double> log_inverse(double b) const {
      if (b + shift < 0.0) return std::nullopt;
      return 2.0 * std::log(b + shift);
    }
  };
  At at(const double* g, const double*) const { return {g[0]}; }
};

/// φ = c·σ(log A) with 0 < c < 1 of x: the codomain (0, c) depends on x, and q̂ may lie above it.
struct Capped {
  static constexpr std::size_t outputs = 1, shared = 0;
  explicit Capped(const TransformationOptions&) {}
  struct At {
    double c;
    double sigmoid(double z) const { return 1.0 / (1.0 + std::exp(-z)); }
    double phi(double z) const { return c * sigmoid(z); }
    double slope(double z) const { return c * sigmoid(z) * sigmoid(-z); }
    void gradient(double z, double* by_g, double*) const { by_g[0] = c * (1.0 - c) * sigmoid(z); }
  };
  At at(const double* g, const double*) const { return {1.0 / (1.0 + std::exp(-g[0]))}; }
};

const TransformationOptions defaults{};

/// Half-widths at test points for scores calibrated with `method`.
arma::vec intervals(const TransformationClass& method, const arma::vec& log_a, const arma::mat& g,
                    const arma::mat& g_test, const Level& level) {
  const arma::vec v(method.shared_start);
  arma::vec q(g_test.n_cols);
  q.fill(quantile(arma::sort(method.scores(defaults, log_a, g, v)), level));
  return method.half_widths(defaults, q, g_test, v);
}

}  // namespace

TEST_CASE("log_scale is the class that the paper writes down: phi, inverse and scale agree") {
  const auto check = [](const char* name, const auto& family) {
    CAPTURE(name);
    for (const double g : {-2.0, -0.3, 0.4, 1.7})
      for (const double a : {1e-4, 0.2, 1.0, 30.0}) {
        CHECK(family.inverse(family.phi(a, g), g) == near_share(a, 1e-9));
        const double other = 0.9;
        const double scale_ratio = std::exp(2.0 * (family.log_scale(other) - family.log_scale(g)));
        CHECK(family.inverse(family.phi(a, g), other) == near_share(a * scale_ratio, 1e-9));
        const double h = 1e-6;
        const double slope = (family.log_scale(g + h) - family.log_scale(g - h)) / (2.0 * h);
        CHECK(family.log_scale_slope(g) == near(slope, 1e-8));
      }
  };
  check("fixed", Fixed(defaults));
  check("erc", Erc({.gamma = 0.1}));
  check("linear", Linear(defaults));
  check("exp", Exp(defaults));
  check("sigma", Sigma(defaults));
  check("linear, minus g", Linear({.released = {.minus_g = true}}));
  check("sigma, minus g", Sigma({.released = {.minus_g = true}}));
}

TEST_CASE("linear, exp and sigma are one method: the same g gives the same intervals") {
  Stream stream(3);
  const arma::vec log_a = gaussian(50, 1, stream);
  const arma::mat g = gaussian(1, 50, stream), g_test = gaussian(1, 20, stream);
  for (const Level& level : {Level(0.05), Level(0.1), Level(0.32)}) {
    const arma::vec linear = intervals(find_class("linear"), log_a, g, g_test, level);
    for (const char* other : {"exp", "sigma"})
      CHECK(arma::approx_equal(intervals(find_class(other), log_a, g, g_test, level), linear, "reldiff",
                               1e-14));
  }
}

TEST_CASE("Sections 2.5.1 and 2.5.4, different codomains: what holds") {
  // The paper prints {2, √2 + 2, √3 + 3} for θ = 1 and {0, √2 − 2, √3 − 3} for θ = −1. By its own formula, √A
  // − θX, the two are swapped. With scores b sorted, q̂ is the ⌈4 · ½⌉ = 2nd smallest. For θ = −1 it is √2 +
  // 2, as printed for the other sign. For θ = 1 the scores in order are √3 − 3, √2 − 2, 0, so q̂ = √2 − 2 < 0,
  // outside the codomain [0, ∞) at x = 0: no y satisfies √A ≤ q̂. The interval is empty, not |q̂| wide.
  const arma::vec a = {1, 2, 3}, x = {1, 2, 3};
  const Level half = Level(0.5);
  const TransformationClass shift = make_class<Shift>(Learning::size);
  const auto width_at_zero = [&](double theta) {
    return arma::as_scalar(
        intervals(shift, arma::log(a), theta * x.t(), arma::mat(1, 1, arma::fill::zeros), half));
  };
  CHECK(width_at_zero(-1.0) == near(std::sqrt(2.0) + 2.0, 1e-12));
  CHECK(width_at_zero(1.0) == empty_interval);
  // At x_test = 1 and θ = 1 the codomain is [−1, ∞), which holds q̂: Δ = q̂ + 1.
  const arma::mat one(1, 1, arma::fill::ones);
  CHECK(arma::as_scalar(intervals(shift, arma::log(a), x.t(), one, half)) ==
        near(std::sqrt(2.0) - 1.0, 1e-12));
}

TEST_CASE("q̂ above the codomain of a test point gives the whole line, and coverage holds") {
  const TransformationClass capped = make_class<Capped>(Learning::size);
  Stream stream(6);
  const std::size_t n = 2000;
  const arma::vec log_a = gaussian(2 * n, 1, stream);
  const arma::mat g = 2.0 * gaussian(1, 2 * n, stream);
  const arma::vec widths = intervals(capped, log_a.head(n), g.head_cols(n), g.tail_cols(n), Level(0.1));
  const arma::vec errors = arma::exp(0.5 * log_a.tail(n));
  const double coverage = arma::mean(arma::conv_to<arma::vec>::from(errors <= widths));
  CHECK(coverage == near(0.9, 0.03));  // calibration and test points have .0067 each: three of both
  const arma::uvec infinite = arma::find(widths == arma::datum::inf);
  CHECK(infinite.n_elem > n / 2);
  CHECK(infinite.n_elem < n);
  CHECK(widths.min() >= 0.0);
}

TEST_CASE("the inverse of the mixture is exact from A = 1e-30 to 1e30") {
  Stream stream(5);
  const Mixture mixture({.gamma = 1e-2});
  double worst = 0.0;
  for (int draw = 0; draw < 20000; ++draw) {
    double g[4], v[4];
    for (double& value : g) value = 3.0 * stream.normal();
    for (double& value : v) value = 2.0 * stream.normal();
    const auto at = mixture.at(g, v);
    const double z = stream.uniform(-30.0, 30.0) * std::log(10.0);
    const double b = at.phi(z);
    const auto found = solve_increasing(at, b, at.start(b));
    REQUIRE(found);
    // φ is known to its own rounding, eps·Σ|terms|, so z can be known to that over φ'.
    const double terms = std::abs(b) + 2.0 * at.slope(z) * std::abs(z) + 10.0 * (std::abs(g[1]) + 1.0);
    const double known = 2.2e-16 * terms / at.slope(z) + 2.2e-16 * std::abs(z);
    worst = std::max(worst, std::abs(*found - z) / known);
  }
  CHECK(worst < 8.0);  // in units of what rounding allows
}

TEST_CASE("the root-finder tells a value that is too low from one that is too high") {
  const Capped::At capped{0.5};
  for (const double start : {-1e4, 0.0, 30.0, 1e4}) {
    CHECK(solve_increasing(capped, 0.51, start).value() == arma::datum::inf);
    CHECK_FALSE(solve_increasing(capped, -0.01, start).has_value());
    CHECK(solve_increasing(capped, 0.25, start).value() == near(0.0, 1e-12));
    CHECK(std::isnan(solve_increasing(capped, arma::datum::nan, start).value()));
  }
}

TEST_CASE("zero scores and infinite quantiles are what they are") {
  const arma::vec ends = {-arma::datum::inf, arma::datum::inf};
  for (const char* name : {"exp", "mixture"}) {
    CAPTURE(name);
    const TransformationClass& method = find_class(name);
    const arma::mat g(method.outputs, 2, arma::fill::value(0.3));
    const arma::vec v(method.shared_start);
    CHECK(method.scores(defaults, ends, g, v)(0) == -arma::datum::inf);
    const arma::vec widths = method.half_widths(defaults, ends, g, v);
    CHECK(widths(0) == 0.0);
    CHECK(widths(1) == arma::datum::inf);
  }
}

TEST_CASE("a method is found by name, and a new one is one struct and one line") {
  register_method(make_method<Shift>("shift_of_this_test", Learning::size));
  CHECK(find_class("shift_of_this_test").outputs == 1);
  CHECK_THROWS_AS(register_method(make_method<Shift>("exp", Learning::size)), UserError);
  CHECK_REFUSED(find_method("lnear"), "did you mean 'linear'?");
  CHECK(paper_methods().size() == 7);
  CHECK_REFUSED(find_method("forest"), "no method is called 'forest'");  // that is one of lacp::models
}

TEST_CASE("the released code's clamp of the logit limits how far an interval can reach") {
  const TransformationOptions clamped{.released = {.logit_clamp = 0.001}};
  const arma::vec widths =
      find_class("sigma").half_widths(clamped, arma::vec{3.0, 50.0, -50.0}, {{0.0, 0.0, 0.0}}, arma::vec());
  const double limit = std::log(999.0);
  CHECK(widths(0) == near(std::exp(1.5), 1e-14));
  CHECK(widths(1) == near(std::exp(0.5 * limit), 1e-12));
  CHECK(widths(2) == near(std::exp(-0.5 * limit), 1e-15));
}
