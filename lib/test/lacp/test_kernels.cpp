// Every kernel that this processor can run, held bit for bit against plain loops.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "lacp/base/random.hpp"
#include "lacp/network/adam.hpp"
#include "lacp/network/kernels/kernels.hpp"
#include "lacp/network/mlp.hpp"

using namespace lacp;

namespace {

constexpr float float_nan = std::numeric_limits<float>::quiet_NaN();

/// Mostly ordinary numbers; also zeros of both signs, subnormal ones and such whose products cancel or
/// overflow.
float some_float(Stream& stream) {
  constexpr double sizes[] = {0.0, -0.0, 1e-40, 1e-19, 1e18};
  const std::size_t kind = stream.below(16);
  if (kind < 2) return static_cast<float>(sizes[kind]);
  return static_cast<float>(stream.uniform(-1, 1) * (kind < 5 ? sizes[kind] : 2.0));
}

std::vector<float> floats(std::size_t count, Stream& stream) {
  std::vector<float> values(count);
  for (float& v : values) v = some_float(stream);
  return values;
}

/// The same bits, or both NaN: which NaN an operation gives is the processor's choice.
bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}
bool same(const std::vector<float>& a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return a.size() == b.size();
}

/// A check for each of the kernels that this processor can run, while they are in use.
template <class Check>
void for_each_kernel(const Check& check) {
  for (const Kernels* kernels : usable_kernels()) {
    CAPTURE(std::string(kernels->name));
    use_kernels(kernels->name);
    check(*kernels);
    use_kernels("");
  }
}

/// A product of random shape, with gaps between rows that must stay as they are. Some start from C itself.
struct Case {
  Product p;
  bool in_place = false;
  std::vector<float> a, b, start, c, active;

  explicit Case(Stream& stream) {
    p.rows = stream.below(24), p.columns = 1 + stream.below(70),
    p.terms = stream.below(stream.below(4) == 0 ? 200 : 40);
    const bool across = stream.below(2) == 0;  // as the gradient reads A
    const std::size_t gap = stream.below(3);
    p.a.row = across ? 1 : p.terms + gap;
    p.a.term = across ? p.rows + gap : 1;
    p.b.term = p.columns + gap;
    p.c.row = p.columns + gap;
    p.start.row = stream.below(2) == 0 ? 0 : p.c.row;
    p.start.column = stream.below(2);
    a = floats(p.rows * p.terms + gap * (p.rows + p.terms) + 1, stream);
    b = floats(p.terms * p.b.term + 1, stream);
    c = floats(p.rows * p.c.row + 20, stream);
    start = floats(c.size() + p.columns, stream);
    active = floats(c.size(), stream);
    if (stream.below(8) == 0) b[stream.below(b.size())] = float_nan;
    p.a.at = a.data(), p.b.at = b.data();
    if (stream.below(2) == 0) p.start.at = start.data();
    if (stream.below(2) == 0) p.active = active.data();
    p.relu = stream.below(2) == 0;
    in_place = stream.below(3) == 0;
  }
  std::vector<float> result(const Kernels& kernels) {
    std::vector<float> out = c;
    p.c.at = out.data();
    if (in_place) p.start = {out.data(), p.c.row, 1};
    kernels.product(p);
    return out;
  }
};

}  // namespace

TEST_CASE("products of every shape have the bits of the plain loops") {
  for_each_kernel([](const Kernels& kernels) {
    Stream stream(1);
    for (int i = 0; i < 1500; ++i) {
      Case c(stream);
      INFO(c.p.rows, " ", c.p.columns, " ", c.p.terms);
      REQUIRE(same(c.result(kernels), c.result(scalar_kernels)));
    }
  });
}

TEST_CASE("fma without a processor's own rounds as it should") {
  // Sums near the middle between two floats, where rounding twice goes wrong: a·b is c's last place times a
  // number close to a half.
  Stream stream(2);
  constexpr std::size_t count = 100'000;
  std::vector<float> a(count), b(count), c(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int scale = static_cast<int>(stream.below(280)) - 145;
    c[i] = std::ldexp(static_cast<float>(stream.uniform(-2, 2)), scale);
    const float factor = 1.0f + static_cast<float>(stream.below(5)) * 0x1p-23f;
    a[i] = std::ldexp(factor, static_cast<int>(stream.below(50)) - 25);
    const int place = c[i] == 0.0f ? -126 : std::ilogb(c[i]);  // of a zero there is none
    b[i] = static_cast<float>(0.5 * std::ldexp(1.0, place - 23) / double{a[i]});
    if (stream.below(2) == 0) b[i] = -b[i];
    if (stream.below(4) == 0) b[i] = some_float(stream);
  }
  int halfway = 0, wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<float> factor(4, b[i]), start(4, c[i]);
    std::vector<float> out(4);
    portable_kernels.product({.rows = 1,
                              .columns = 4,
                              .terms = 1,
                              .a = {&a[i], 0, 0},
                              .b = {factor.data(), 4},
                              .start = {start.data(), 0},
                              .c = {out.data(), 4}});
    const float exact = std::fma(a[i], b[i], c[i]);
    wrong += !same(out[0], exact) || !same(out[3], exact);
    halfway += !same(static_cast<float>(double{a[i]} * double{b[i]} + double{c[i]}), exact);
  }
  CHECK(wrong == 0);
  CHECK(halfway > 250);  // otherwise this shows nothing
}

TEST_CASE("transposing moves every element to its place") {
  for_each_kernel([](const Kernels& kernels) {
    Stream stream(3);
    for (int i = 0; i < 300; ++i) {
      const std::size_t rows = stream.below(40), columns = stream.below(40);
      const std::size_t from_lead = rows + stream.below(5), to_lead = columns + stream.below(5);
      const std::vector<float> from = floats(from_lead * columns, stream);
      std::vector<float> to(rows * to_lead), expected(rows * to_lead);
      plain::transpose(from.data(), from_lead, rows, columns, expected.data(), to_lead);
      kernels.transpose(from.data(), from_lead, rows, columns, to.data(), to_lead);
      REQUIRE(same(to, expected));
    }
  });
}

TEST_CASE("Adam's pass has the bits of the plain loop, for any number of parameters") {
  for_each_kernel([](const Kernels& kernels) {
    Stream stream(4);
    for (int i = 0; i < 1000; ++i) {
      const std::size_t count = stream.below(70);
      const AdamStep<float> step{0.9f,
                                 0.1f,
                                 0.999f,
                                 0.001f,
                                 static_cast<float>(stream.uniform(0, 0.1)),
                                 static_cast<float>(stream.uniform(1, 30)),
                                 1e-8f};
      const std::vector<float> gradient = floats(count, stream), theta = floats(count + 1, stream),
                               mean = floats(count + 1, stream);
      std::vector<float> square = floats(count + 1, stream);
      for (float& v : square) v = std::abs(v);
      auto t1 = theta, t2 = theta, m1 = mean, m2 = mean, s1 = square, s2 = square;
      const bool finite = kernels.adam(step, count, gradient.data(), {t1.data(), m1.data(), s1.data()});
      CHECK(finite == plain::adam<float>(step, count, gradient.data(), {t2.data(), m2.data(), s2.data()}));
      REQUIRE(same(t1, t2));
      REQUIRE(same(m1, m2));
      REQUIRE(same(s1, s2));
      REQUIRE(same(t1[count], theta[count]));
    }
  });
}

TEST_CASE("a NaN passes through ReLU and its derivative") {
  for_each_kernel([](const Kernels&) {
    Stream stream(5);
    Mlp net({.inputs = 3, .hidden = {20, 20}, .outputs = 1}, 4);
    net.initialise(stream);
    arma::fmat X(3, 4, arma::fill::ones);
    X(1, 2) = float_nan;
    const arma::fmat Y = net.forward(X);
    CHECK(std::isnan(Y(0, 2)));
    CHECK(std::isfinite(Y(0, 0)));
    CHECK(std::isfinite(Y(0, 3)));
    net.backward(Y);
    CHECK(net.gradient().has_nan());
  });
}

TEST_CASE("a step taken layer by layer has the bits of backward and a step") {
  for (const std::size_t batch : {1u, 16u, 17u, 70u, 200u}) {
    CAPTURE(batch);
    Stream stream(8);
    Mlp whole({.inputs = 5, .hidden = {30, 1, 20}, .outputs = 2}, 200);
    whole.initialise(stream);
    Mlp by_layer = whole;
    Adam<float> one({}, whole.parameters().n_elem), other = one;
    for (int step = 0; step < 3; ++step) {
      arma::fmat X(5, batch), by_output(2, batch);
      for (arma::fmat* values : {&X, &by_output})
        for (float& value : *values) value = static_cast<float>(stream.uniform(-1, 1));
      const arma::fmat Y = by_layer.forward(X);
      CHECK(arma::approx_equal(whole.forward(X), Y, "absdiff", 0.0f));
      CHECK(arma::approx_equal(evaluate(whole.shape(), whole.parameters(), X), Y, "absdiff", 0.0f));
      whole.backward(by_output);
      REQUIRE_FALSE(one.step(whole.parameters(), whole.gradient()));
      REQUIRE_FALSE(by_layer.descend(by_output, other));
      CHECK(arma::approx_equal(whole.parameters(), by_layer.parameters(), "absdiff", 0.0f));
    }
  }
}
