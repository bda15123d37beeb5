// The elementary functions: how far they are from the truth, and that they give the stored bits.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "lacp/base/math.hpp"

using namespace lacp;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest = 0x1p-1074, largest = std::numeric_limits<double>::max();
constexpr long double pi = 3.141592653589793238462643383279502884L;

/// SplitMix64: test data that need no other part of the library.
struct Random {
  std::uint64_t state;
  std::uint64_t bits() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }
  /// Any positive finite number, subnormal ones among them: all exponents are equally likely.
  double positive() { return std::bit_cast<double>(bits() % 0x7ff0000000000000); }
};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Distance in units in the last place of a double near `exact`.
double ulps(double value, long double exact) {
  const auto nearest = static_cast<double>(exact);
  if (!std::isfinite(nearest) || !std::isfinite(value)) return nearest == value ? 0.0 : inf;
  const double below = std::fabs(nearest) == largest ? std::nextafter(largest, 0.0) : std::fabs(nearest);
  const double unit = std::nextafter(below, inf) - below;
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact) /
                             static_cast<long double>(unit));
}

/// The largest error of f against a function in long double, over arguments that `draw` makes.
template <class F, class Exact, class Draw>
double worst(int points, F f, Exact exact, Draw draw) {
  Random random{1};
  double most = 0.0;
  for (int i = 0; i < points; ++i) {
    const double x = draw(random), error = ulps(f(x), exact(static_cast<long double>(x)));
    if (error > most || error != error) most = error;
  }
  return most;
}

/// FNV-1a over the bits of f at a hundred thousand arguments.
template <class F, class Draw>
std::uint64_t hash(F f, Draw draw) {
  Random random{2};
  std::uint64_t h = 0xcbf29ce484222325;
  for (int i = 0; i < 100'000; ++i) h = (h ^ std::bit_cast<std::uint64_t>(f(draw(random)))) * 0x100000001b3;
  return h;
}

// Arguments of each function: the range in which its value is neither 0 nor infinite, and the part of it that
// matters most.
const auto any_exponent = [](Random& random) { return random.positive(); };
const auto near_one = [](Random& random) { return random.uniform(0.25, 4.0); };
const auto for_exp = [](Random& random) { return random.uniform(-745.2, 709.8); };
const auto small = [](Random& random) { return random.uniform(-2.0, 2.0); };
const auto tiny_or_not = [](Random& random) {
  const double mantissa = random.uniform(0.5, 1.0);  // one draw per statement: arguments have no order
  const double x = std::ldexp(mantissa, -static_cast<int>(random.bits() % 1074));
  return random.bits() % 2 == 0 ? x : -x;
};
const auto close_to_one = [](Random& random) {
  const double mantissa = random.uniform(-0.9, 0.9);
  return 1.0 + std::ldexp(mantissa, -static_cast<int>(random.bits() % 50));
};
const auto eighth_turn = [](Random& random) { return random.uniform(-0.25, 0.25); };

}  // namespace

TEST_CASE("errors stay below what the header says") {
  const auto exact_exp = [](long double x) { return std::exp(x); };
  const auto exact_log = [](long double x) { return std::log(x); };
  const auto exact_log1p = [](long double x) { return std::log1p(x); };
  CHECK(worst(800'000, math::exp, exact_exp, for_exp) < 0.75);
  CHECK(worst(800'000, math::exp, exact_exp, small) < 0.51);
  CHECK(worst(200'000, math::exp, exact_exp, tiny_or_not) < 0.51);
  CHECK(worst(500'000, math::log, exact_log, any_exponent) < 0.82);
  CHECK(worst(800'000, math::log, exact_log, near_one) < 0.82);
  CHECK(worst(200'000, math::log, exact_log, close_to_one) < 0.82);
  CHECK(worst(500'000, math::log1p, exact_log1p, any_exponent) < 0.82);
  CHECK(worst(500'000, math::log1p, exact_log1p, [](Random& r) { return r.uniform(-1.0, 3.0); }) < 0.82);
  CHECK(worst(200'000, math::log1p, exact_log1p, tiny_or_not) < 0.82);
  const auto exact_expm1 = [](long double x) { return std::expm1(x); };
  CHECK(worst(500'000, math::expm1, exact_expm1, small) < 2.5);
  CHECK(worst(300'000, math::expm1, exact_expm1, tiny_or_not) < 2.5);
  const auto exact_cos_pi = [](long double x) { return std::cos(pi * x); };
  CHECK(worst(300'000, math::cos_pi, exact_cos_pi, eighth_turn) < 0.75);
}

TEST_CASE("exp of many numbers has the bits of exp") {
  Random random{3};
  std::vector<double> x(100), y(101);
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t count = random.bits() % 101;
    const double widest = round % 2 == 0 ? 700.0 : 760.0;
    for (double& value : x) value = random.uniform(-widest, widest);
    if (round % 4 == 1) x[random.bits() % 100] = round % 8 == 1 ? inf : not_a_number;
    y[count] = 17.0;
    math::exp_all(x.data(), y.data(), count);
    bool same = y[count] == 17.0;  // and nothing behind the end
    for (std::size_t i = 0; i < count; ++i) same = same && same_bits(y[i], math::exp(x[i]));
    REQUIRE(same);
  }
}

TEST_CASE("special values") {
  using Function = double (*)(double);
  const auto check = [](Function f, std::initializer_list<std::pair<double, double>> values) {
    for (const auto& [x, expected] : values) {
      INFO(x, " ", expected);
      CHECK((same_bits(f(x), expected) || (std::isnan(f(x)) && std::isnan(expected))));
    }
  };
  const double nan = not_a_number, last = 709.782712893384;  // the last argument whose exp is finite
  check(math::exp, {{nan, nan}, {0.0, 1.0}, {inf, inf}, {-inf, 0.0}, {1e300, inf}, {-1e300, 0.0}});
  check(math::exp, {{-745.1332191019411, smallest}, {-745.1332191019412, 0.0}});
  check(math::exp, {{std::nextafter(last, inf), inf}});
  check(math::expm1,
        {{nan, nan}, {-0.0, -0.0}, {inf, inf}, {-inf, -1.0}, {1e300, inf}, {smallest, smallest}});
  check(math::log, {{nan, nan}, {1.0, 0.0}, {0.0, -inf}, {-0.0, -inf}, {inf, inf}, {-1.0, nan}, {-inf, nan}});
  check(math::log1p, {{nan, nan}, {-0.0, -0.0}, {-1.0, -inf}, {inf, inf}, {-1.5, nan}, {smallest, smallest}});
  check(math::cos_pi, {{nan, nan}, {0.0, 1.0}, {std::nextafter(0.25, 1.0), nan}});
  CHECK(math::exp(last) > 1.797e308);
  CHECK(math::exp(last) < inf);
  CHECK(math::log(smallest) == doctest::Approx(-744.4400719213812));
  CHECK(math::cos_pi(0.25) == doctest::Approx(std::sqrt(0.5)).epsilon(1e-15));
}

// Made by this test itself, on aarch64 with g++ 12; other processors and compilers must find the same.
TEST_CASE("every processor and compiler gives the stored bits") {
  CHECK(hash(math::exp, for_exp) == 0x8864501dff65c7fbULL);
  CHECK(hash(math::exp, small) == 0x2e39a98e6f3f7544ULL);
  CHECK(hash(math::log, any_exponent) == 0x1d8300f62905b5b3ULL);
  CHECK(hash(math::log, near_one) == 0x86dbd7ee05c7065aULL);
  CHECK(hash(math::log1p, tiny_or_not) == 0x8e7132ae3de9e0c1ULL);
  CHECK(hash(math::log1p, near_one) == 0x25a03701cb28a101ULL);
  CHECK(hash(math::cos_pi, eighth_turn) == 0x487851d960c7e6dbULL);
}
