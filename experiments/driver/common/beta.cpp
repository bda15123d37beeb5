#include "common/beta.hpp"

#include <cmath>

#include "lacp/base/math.hpp"

namespace lacp {
namespace {

/// log Γ(x) for x > 0, to a few units in the last place of the larger of it and 1: Γ(x) = Γ(x + k) / (x … (x
/// + k − 1)), and Stirling's series from 10 on.
double log_gamma(double x) {
  double product = 1.0;
  for (; x < 10.0; x += 1.0) product *= x;
  constexpr double half_log_two_pi = 0x1.d67f1c864beb5p-1;
  const double z = 1.0 / (x * x);
  const double series =
      (1.0 / 12 -
       z * (1.0 / 360 -
            z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * (691.0 / 360360 - z / 156)))))) /
      x;
  return (x - 0.5) * math::log(x) - x + half_log_two_pi + series - math::log(product);
}

/// Lentz's method on the continued fraction of I_x(a, b) (DLMF 8.17.22); converges fast for
/// x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300, tolerance = 1e-15;
  const auto away_from_zero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1.0, d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)), fraction = d;
  const auto step = [&](double coefficient) {
    d = 1.0 / away_from_zero(1.0 + coefficient * d);
    c = away_from_zero(1.0 + coefficient / c);
    fraction *= d * c;
    return d * c;
  };
  for (int m = 1; m <= 10'000; ++m) {
    step(m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)));
    const double last = step(-(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)));
    if (std::abs(last - 1.0) < tolerance) break;
  }
  return fraction;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front =
      math::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * math::log(x) + b * math::log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

}  // namespace lacp
