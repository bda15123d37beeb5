// All pairs of a batch at once: the same as pair by pair, and the same bits everywhere.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "lacp/classes/make_method.hpp"
#include "lacp/classes/transformations.hpp"
#include "lacp/conformal/registry.hpp"
#include "losses.hpp"

using namespace lacp;

namespace {

constexpr double last_digits = 1e-13;

/// Mixture with nothing but what a class must have: each pair is solved by itself.
struct PairByPair {
  static constexpr std::size_t outputs = Mixture::outputs, shared = Mixture::shared;
  Mixture mixture;
  explicit PairByPair(const TransformationOptions& options) : mixture(options) {}
  struct At {
    Mixture::At at;
    double phi(double z) const { return at.phi(z); }
    double slope(double z) const { return at.slope(z); }
    void gradient(double z, double* by_g, double* by_v) const { at.gradient(z, by_g, by_v); }
    double start(double b) const { return at.start(b); }
  };
  At at(const double* g, const double* v) const { return {mixture.at(g, v)}; }
};

using Point = LossPoint;

Point draw(std::size_t batch, double g_size, double v_size, Stream& stream) {
  return draw_point(find_class("mixture"), batch, g_size, v_size, stream);
}

Evaluation evaluate(const TransformationClass& method, const ObjectiveOptions& options, const Point& at) {
  return lacp::evaluate(method, with_gamma, options, at);
}

const TransformationClass pair_by_pair = make_class<PairByPair>(Learning::size);

/// The largest difference of loss and gradients between the two ways. The gradient is what remains of a sum
/// and its negative, each about as large as the loss (as 1 for its logarithm), so that is what rounding is
/// measured by.
double difference(const Point& point, const ObjectiveOptions& options) {
  const Evaluation fast = evaluate(find_class("mixture"), options, point);
  const Evaluation slow = evaluate(pair_by_pair, options, point);
  const double unit = options.loss == Loss::plain ? slow.loss : 1.0;
  const auto share = [&](const auto& a, const auto& b) {
    return arma::abs(a - b).max() / std::max(unit, arma::abs(b).max());
  };
  return std::max(
      {std::abs(fast.loss - slow.loss) / unit, share(fast.by_g, slow.by_g), share(fast.by_v, slow.by_v)});
}

/// The same for both losses and both powers.
double difference(const Point& point) {
  double most = 0.0;
  for (const bool square_root : {true, false})
    for (const Loss loss : {Loss::plain, Loss::logarithm}) {
      const double here = difference(point, {.loss = loss, .released = {.square_root = square_root}});
      most = std::isnan(here) ? HUGE_VAL : std::max(most, here);
    }
  return most;
}

}  // namespace

TEST_CASE("all pairs at once and pair by pair agree to rounding") {
  Stream stream(1);
  for (const std::size_t batch : {2u, 7u, 8u, 9u, 15u, 16u, 17u, 33u, 100u, 256u})
    for (const double g_size : {0.1, 1.0, 4.0})
      for (const double v_size : {0.5, 4.0}) {
        INFO(batch, " ", g_size, " ", v_size);
        CHECK(difference(draw(batch, g_size, v_size, stream)) < last_digits);
      }
}

TEST_CASE("ties, zero scores, scores of any size, and one weight far above or below the others") {
  Stream stream(2);
  for (std::size_t round = 0; round < 20; ++round) {
    CAPTURE(round);
    Point point = draw(40, 0.5, 0.5, stream);
    for (arma::uword n = 1; n < 30; ++n)
      if (stream.uniform(0.0, 1.0) < 0.7)
        point.log_a(n) = point.log_a(n - 1), point.g.col(n) = point.g.col(n - 1);
    CHECK(difference(point) < last_digits);  // ties
    for (double& a : point.log_a)
      if (stream.uniform(0.0, 1.0) < 0.3) a = -arma::datum::inf;
    CHECK(difference(point) < last_digits);  // about half of the roots of a zero score are below the range
    for (double& a : point.log_a) a *= 30.0;
    CHECK(difference(point) < last_digits);  // A from e^−300 to e^100
    point = draw(32, 0.7, 0.5, stream);
    point.v(round % Mixture::shared) = std::array{-600.0, -40.0, -15.0, 15.0, 300.0}[round % 5];
    CHECK(difference(point) < last_digits);
  }
}

TEST_CASE("roots that are infinite, scores that are, and a batch of zero scores: as pair by pair") {
  Stream stream(4);
  const ObjectiveOptions plain{.loss = Loss::plain};
  Point point = draw(20, 0.3, 0.3, stream);
  point.log_a(3) = 699.0, point.g(2, 3) = 5.0;  // φ_m⁻¹ of this score is about e^704
  CHECK(evaluate(find_class("mixture"), plain, point).loss == arma::datum::inf);
  CHECK(evaluate(pair_by_pair, plain, point).loss == arma::datum::inf);
  point.g(2, 3) = 800.0;  // the score itself
  CHECK_FALSE(std::isfinite(evaluate(find_class("mixture"), plain, point).loss));
  CHECK_FALSE(std::isfinite(evaluate(pair_by_pair, plain, point).loss));
  point = draw(20, 0.3, 0.3, stream);
  point.log_a.fill(-arma::datum::inf);
  point.g.row(1) = arma::linspace<arma::rowvec>(0.0, 1.0, 20);
  CHECK(difference(point, plain) < last_digits);
}

TEST_CASE("the bits of the loss and its gradient are the same on every machine") {
  const auto check = [](std::size_t batch, const ObjectiveOptions& options, std::uint64_t expected) {
    CAPTURE(batch);
    Stream stream(6);
    Point point{arma::vec(batch), arma::mat(Mixture::outputs, batch), arma::vec(Mixture::shared)};
    for (double& value : point.log_a) value = stream.uniform(-9.0, 3.0);
    for (double& value : point.g) value = stream.uniform(-1.0, 1.0);
    for (double& value : point.v) value = stream.uniform(-1.0, 1.0);
    point.log_a(1) = -arma::datum::inf;
    point.log_a(3) = point.log_a(2), point.g.col(3) = point.g.col(2);
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    const auto add = [&](double x) { hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3; };
    for (int step = 0; step < 5; ++step) {
      const Evaluation e = evaluate(find_class("mixture"), options, point);
      add(e.loss);
      for (arma::uword i = 0; i < e.by_g.n_elem; ++i) add(e.by_g(i)), point.g(i) -= 8.0 * e.by_g(i);
      for (arma::uword i = 0; i < e.by_v.n_elem; ++i) add(e.by_v(i)), point.v(i) -= 0.5 * e.by_v(i);
    }
    CHECK(hash == expected);
  };
  check(16, {}, 0x9472694f4289ced2);
  check(100, {.released = {.square_root = false}}, 0x930d2e891b08a360);
  check(256, {}, 0x6d870786c9b2a9b2);
  check(256, {.kind = Objective::one_level, .level = Level(0.1)}, 0x21559b053f75ca98);
  check(17, {.loss = Loss::plain}, 0xe4793db43507088a);
}
