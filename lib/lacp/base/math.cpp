#include "lacp/base/math.hpp"

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lacp/base/exp_table.hpp"

#ifdef __FAST_MATH__
#error "fast-math changes results; compile without it"
#endif
static_assert(FLT_EVAL_METHOD == 0, "intermediate results must be rounded to their type");

namespace lacp::math {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double to_whole = 0x1.8p52;  // x + to_whole − to_whole is x rounded to a whole number, |x| < 2^51

// ln 2 in two parts. The first has 21 zero bits at its end, so that its product with an exponent is exact.
constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;

double bits_to_double(std::uint64_t bits) { return std::bit_cast<double>(bits); }
std::uint64_t double_to_bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// 2^n for a normal result.
double two_to(std::int64_t n) { return bits_to_double(static_cast<std::uint64_t>(n + 1023) << 52); }

/// x·2^n, rounded once: only the last of the three steps can leave the normal numbers. |x| in [½, 4).
double scale(double x, std::int64_t n) {
  if (n > 2200) n = 2200;
  if (n < -2200) n = -2200;
  const std::int64_t third = n / 3;
  return x * two_to(third) * two_to(third) * two_to(n - 2 * third);
}

/// x = m·2^e with m in [√½, √2); x positive and finite.
struct Binary {
  double m;
  std::int64_t e;
};
Binary split(double x) {
  std::int64_t e = 0;
  if (x < 0x1p-1022) x *= 0x1p54, e = -54;
  constexpr std::uint64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
  const std::uint64_t shifted = double_to_bits(x) + (one - root_half);
  return {bits_to_double((shifted & 0x000fffffffffffff) + root_half),
          e + static_cast<std::int64_t>(shifted >> 52) - 1023};
}

/// k ln 2 + log(1 + f) + c for 1 + f in [√½, √2) and a small c. With s = f/(2 + f), log(1 + f) = log((1 +
/// s)/(1 − s)) = 2s + s·R(s²); 2s is written as f − s·f, of which f is exact. R is the minimax polynomial of
/// Sun's fdlibm (1993).
double log_of_parts(double k, double f, double c) {
  const double s = f / (2.0 + f), z = s * s, w = z * z;
  const double odd =
      w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double even =
      z * (6.666666666666735130e-01 +
           w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double half_square = 0.5 * f * f;
  return k * ln2_high - ((half_square - (s * (half_square + (odd + even)) + (k * ln2_low + c))) - f);
}

}  // namespace

namespace {

// x = n ln 2 / 128 + r and n = 128 e + j, so that e^x = 2^e · 2^(j/128) · e^r with |r| ≤ 0.0028.

/// n + to_whole: n as a number after − to_whole, and in the last bits as an integer.
double exp_steps(double x) { return x * 0x1.71547652b82fep+7 + to_whole; }

/// e^r − 1.
double exp_rest(double x, double n) {
  const double r = (x - n * (ln2_high / 128)) - n * (ln2_low / 128), r2 = r * r;
  return r + r2 * ((1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120)));
}

}  // namespace

double exp(double x) {
  if (x != x) return x;
  if (x > 709.79) return infinity;
  if (x < -745.2) return 0.0;
  const double n = exp_steps(x) - to_whole, q = exp_rest(x, n);
  const auto k = static_cast<std::int64_t>(n), e = k >> 7;
  const PowerOfTwo& t = powers_of_two[k & 127];
  const double value = t.high + (t.low + t.high * q);
  if (e > -1022 && e < 1023) return value * two_to(e);
  return scale(value, e);
}

void exp_all(const double* x, double* y, std::size_t count) {
  constexpr std::size_t block = 32;
  double rest[block], high[block], low[block];
  std::uint64_t steps[block];
  for (std::size_t first = 0; first < count; first += block, x += block, y += block) {
    const std::size_t size = count - first < block ? count - first : block;
    std::uint64_t far = 0;  // from zero: the result may be infinite, subnormal or no number
    for (std::size_t i = 0; i < size; ++i) {
      const double shifted = exp_steps(x[i]);
      rest[i] = exp_rest(x[i], shifted - to_whole);
      steps[i] = double_to_bits(shifted);
      far |= std::fabs(x[i]) <= 700.0 ? 0 : 1;
    }
    if (far != 0) {
      for (std::size_t i = 0; i < size; ++i) y[i] = exp(x[i]);
      continue;
    }
    for (std::size_t i = 0; i < size; ++i) {
      const PowerOfTwo& t = powers_of_two[steps[i] & 127];
      high[i] = t.high, low[i] = t.low;
    }
    // two_to(e): what to_whole adds to the bits is shifted out
    for (std::size_t i = 0; i < size; ++i)
      y[i] = (high[i] + (low[i] + high[i] * rest[i])) * bits_to_double(((steps[i] >> 7) + 1023) << 52);
  }
}

double log(double x) {
  if (x != x || x == infinity) return x;
  if (!(x > 0.0)) return x == 0.0 ? -infinity : nan;
  const Binary b = split(x);
  return log_of_parts(static_cast<double>(b.e), b.m - 1.0, 0.0);
}

double log1p(double x) {
  if (x != x || x == infinity) return x;
  if (!(x > -1.0)) return x == -1.0 ? -infinity : nan;
  if (std::fabs(x) < 0x1p-54) return x;
  if (x > -0.29 && x < 0.41) return log_of_parts(0.0, x, 0.0);
  const double u = 1.0 + x;
  const double lost = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);  // 1 + x = u + lost exactly
  const Binary b = split(u);
  return log_of_parts(static_cast<double>(b.e), b.m - 1.0, lost / u);
}

double expm1(double x) {
  const double u = exp(x), v = u - 1.0;
  if (u == 1.0 || x != x) return x;
  if (v == -1.0 || v == infinity) return v;
  return v * (x / log(u));  // W. Kahan: the rounding of u is in both
}

double power(double x, int n) {
  if (n == 0) return 1.0;
  const bool negative = std::signbit(x) && n % 2 != 0;
  const double sign = negative ? -1.0 : 1.0, magnitude = std::fabs(x);
  if (x != x) return x;
  if (magnitude == 0.0 || magnitude == infinity)
    return sign * ((magnitude == 0.0) == (n > 0) ? 0.0 : infinity);

  // Square and multiply on numbers of twice the precision, (high + low)·2^e with high in [½, 2].
  struct Wide {
    double high, low;
    std::int64_t e;
  };
  const auto product = [](const Wide& a, const Wide& b) {
    const double p = a.high * b.high;
    const double error = std::fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high);
    const double high = p + error, low = error - (high - p);
    const std::int64_t e = high >= 2.0 ? 1 : high < 1.0 ? -1 : 0;
    return Wide{high * two_to(-e), low * two_to(-e), a.e + b.e + e};
  };
  const Binary b = split(magnitude);
  Wide square{b.m, 0.0, b.e}, result{1.0, 0.0, 0};
  for (std::uint64_t left = static_cast<std::uint64_t>(n < 0 ? -static_cast<std::int64_t>(n) : n);;) {
    if (left % 2 != 0) result = product(result, square);
    if ((left /= 2) == 0) break;
    square = product(square, square);
  }
  if (n > 0) return sign * scale(result.high, result.e);
  const double inverse = 1.0 / result.high;  // and one step of Newton for what high alone does not say
  const double correction = std::fma(-inverse, result.high, 1.0) - inverse * result.low;
  return sign * scale(inverse + inverse * correction, -result.e);
}

namespace {

// sin(πr) and cos(πr) for |r| ≤ ¼, from πr in two parts by Taylor's series.

constexpr double pi_high = 0x1.921fb54442d18p+1, pi_low = 0x1.1a62633145c07p-53;

double sin_pi_near_zero(double r) {
  const double t = r * pi_high, rest = std::fma(r, pi_high, -t) + r * pi_low, t2 = t * t;
  const double q =
      -1.0 / 6 +
      t2 * (1.0 / 120 +
            t2 * (-1.0 / 5040 +
                  t2 * (1.0 / 362880 + t2 * (-1.0 / 39916800 + t2 * (1.0 / 6227020800 +
                                                                     t2 * (-1.0 / 1307674368000 +
                                                                           t2 * (1.0 / 355687428096000)))))));
  return t + (rest * (1.0 - 0.5 * t2) + t * (t2 * q));
}

double cos_pi_near_zero(double r) {
  const double t = r * pi_high, rest = std::fma(r, pi_high, -t) + r * pi_low, t2 = t * t;
  const double q =
      1.0 / 24 +
      t2 * (-1.0 / 720 +
            t2 * (1.0 / 40320 +
                  t2 * (-1.0 / 3628800 +
                        t2 * (1.0 / 479001600 + t2 * (-1.0 / 87178291200 + t2 * (1.0 / 20922789888000))))));
  const double half_square = 0.5 * t2, sum = 1.0 - half_square;
  const double lost = std::fma(t, t, -t2);  // t² = t2 + lost
  return sum + (((1.0 - sum) - half_square) - 0.5 * lost - t * rest + t2 * (t2 * q));
}

/// x = r + quarter/2 with |r| ≤ ¼, exactly; quarters of a turn are counted modulo 4. x is finite.
struct Angle {
  double r;
  int quarter;
};
Angle reduce(double x) {
  if (std::fabs(x) >= 0x1p53) return {0.0, 0};  // a whole, even number
  const double twice = std::round(2.0 * x);     // at most 2^54, so twice/2 and the difference are exact
  return {x - 0.5 * twice, static_cast<int>(static_cast<std::int64_t>(twice) & 3)};
}

}  // namespace

double sin_pi(double x) {
  if (!(std::fabs(x) < infinity)) return nan;
  const Angle a = reduce(x);
  if (a.r == 0.0 && a.quarter % 2 == 0) return std::copysign(0.0, x);
  const double value = a.quarter % 2 == 0 ? sin_pi_near_zero(a.r) : cos_pi_near_zero(a.r);
  return a.quarter < 2 ? value : -value;
}

double cos_pi(double x) {
  if (!(std::fabs(x) < infinity)) return nan;
  const Angle a = reduce(x);
  if (a.r == 0.0 && a.quarter % 2 != 0) return 0.0;
  const double value = a.quarter % 2 == 0 ? cos_pi_near_zero(a.r) : sin_pi_near_zero(a.r);
  return a.quarter == 0 || a.quarter == 3 ? value : -value;
}

}  // namespace lacp::math
