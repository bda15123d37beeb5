// ℓ_θ: its value and its gradient.
#include <doctest/doctest.h>

#include "heteroskedastic.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/conformal/classes/objective.hpp"
#include "near.hpp"

using namespace lacp;

namespace {

using Numbers = std::vector<double>;
constexpr std::size_t batch = 12;

struct Batch {
  Numbers log_s = Numbers(batch), log_r = Numbers(batch);
};

Batch draw(std::uint64_t seed) {
  Stream stream(seed);
  Batch at;
  for (double& t : at.log_s) t = stream.normal();
  for (double& r : at.log_r) r = std::log(std::abs(stream.normal()));
  return at;
}

struct Value {
  double loss;
  Numbers by_log_s = Numbers(batch);
};

Value evaluate(double theta, const Batch& at) {
  Numbers u(batch), by_t(batch), by_u(batch);
  for (std::size_t i = 0; i < batch; ++i) u[i] = at.log_r[i] - at.log_s[i];
  Value value{adaptation_loss(theta, at.log_s, u, batch, by_t, by_u)};
  for (std::size_t i = 0; i < batch; ++i) value.by_log_s[i] = by_t[i] - by_u[i];
  return value;
}

/// As it is written, without logarithms.
double by_definition(double theta, const Batch& at) {
  const double a = (1.0 - theta) / theta;
  double powers = 0.0, ratios = 0.0;
  for (std::size_t i = 0; i < batch; ++i) {
    powers += a == 0.0 ? at.log_s[i] : std::pow(std::exp(at.log_s[i]), a);
    ratios += std::exp(at.log_r[i]) / std::exp(at.log_s[i]);
  }
  return (a == 0.0 ? powers / batch : std::log(powers / batch) / a) + std::log(ratios / batch);
}

}  // namespace

TEST_CASE("the loss is the one defined, also where a → 0, and close to that") {
  const Batch at = draw(1);
  for (const double theta : {0.05, 0.25, 0.5, 0.75, 0.99, 1.0})
    CHECK(evaluate(theta, at).loss == near(by_definition(theta, at), 1e-12));
  for (const double almost : {1e-6, 1e-9, 1e-12, 1e-16})  // (1/a) log mean s^a = mean log s + O(a)
    CHECK(evaluate(1.0 - almost, at).loss == near(by_definition(1.0, at), 1e-7 + 2.0 * almost));
}

TEST_CASE("its gradient by central differences") {
  for (const double theta : {0.05, 0.25, 0.5, 0.75, 1.0 - 1e-9, 1.0}) {
    CAPTURE(theta);
    const Batch at = draw(2);
    const Value exact = evaluate(theta, at);
    const double h = 1e-5;
    for (std::size_t i = 0; i < batch; ++i) {
      Batch up = at, down = at;
      up.log_s[i] += h, down.log_s[i] -= h;
      const double slope = (evaluate(theta, up).loss - evaluate(theta, down).loss) / (2.0 * h);
      CHECK(exact.by_log_s[i] == near(slope, 1e-8));
    }
  }
}

TEST_CASE("the unit of s changes nothing: neither loss nor gradient, which adds up to zero") {
  for (const double theta : {0.1, 0.5, 0.9, 1.0}) {
    const Batch at = draw(3);
    Batch other = at;
    for (double& t : other.log_s) t += 200.0;
    const Value one = evaluate(theta, at), two = evaluate(theta, other);
    CHECK(two.loss == near(one.loss, 1e-12));
    for (std::size_t i = 0; i < batch; ++i) CHECK(two.by_log_s[i] == near(one.by_log_s[i], 1e-12));
    CHECK(sum_of(one.by_log_s) == near(0.0, 1e-15));
  }
}

TEST_CASE("θ = ½ is the logarithm of ℓ_all with the pairs of a point with itself among the B²") {
  // Those pairs are |r_n|, whatever s is: B² e^ℓ = B(B − 1) ℓ_all + Σ |r_n|, and the gradients are the same.
  const Batch at = draw(4);
  const TransformationClass& exp = find_class("exp");
  arma::vec log_a(batch), none;
  arma::mat g(1, batch), by_g(1, batch);
  double errors = 0.0;
  for (std::size_t i = 0; i < batch; ++i) {
    log_a(i) = 2.0 * at.log_r[i], g(0, i) = -2.0 * at.log_s[i];
    errors += std::exp(at.log_r[i]);
  }
  ObjectiveScratch scratch(batch);
  const double pairs =
      batch * (batch - 1) * exp.loss({}, {.loss = Loss::plain}, log_a, g, none, by_g, none, scratch);
  const Value half = evaluate(0.5, at);
  const double b2 = batch * batch;
  CHECK(b2 * std::exp(half.loss) == near_share(pairs + errors, 1e-13));
  for (std::size_t i = 0; i < batch; ++i)  // ∂/∂ log s = −2 ∂/∂g
    CHECK(b2 * std::exp(half.loss) * half.by_log_s[i] ==
          near(-2.0 * batch * (batch - 1) * by_g(0, i), 1e-11 * b2));
}

TEST_CASE("gradients are bounded and finite, however far s is out, and errors of zero teach nothing") {
  for (const double theta : {1e-300, 1e-3, 0.25, 0.5, 1.0}) {
    CAPTURE(theta);
    Batch at = draw(5);
    at.log_s[0] = 5000.0, at.log_s[1] = -3000.0, at.log_r[2] = -HUGE_VAL;
    const Value value = evaluate(theta, at);
    CHECK(std::isfinite(value.loss));
    for (const double slope : value.by_log_s) CHECK(std::abs(slope) <= 1.0);
    for (double& r : at.log_r) r = -HUGE_VAL;
    const Value nothing = evaluate(theta, at);
    CHECK(nothing.loss == 0.0);
    CHECK(nothing.by_log_s == Numbers(batch, 0.0));
  }
}
