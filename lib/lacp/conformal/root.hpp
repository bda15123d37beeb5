#pragma once

#include <cmath>
#include <optional>

namespace lacp {

/// log A is looked for in [−700, 700]: e^z and e^{−z} are finite there.
inline constexpr double widest_log = 700.0;

/// Solves φ(z) = b for an increasing φ by Newton steps, each kept inside a bracket that bisection shrinks
/// whenever a step leaves it or gains too little (Section 2.8: "standard root-finding methods"). Ends when
/// the bracket or the step is down to the rounding of z. Nothing if b lies below every value of φ, +inf if
/// above: no score or every score has φ ≤ b. A b that is not a number is returned.
///
/// Phi needs phi(z) and slope(z) = φ'(z) > 0; `start` may be any number.
template <class Phi>
std::optional<double> solve_increasing(const Phi& at, double b, double start) {
  double low = -widest_log, high = widest_log;
  double z = std::isfinite(start) ? std::fmin(std::fmax(start, low), high) : 0.0;
  double last_step = high - low;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const double miss = at.phi(z) - b;
    if (miss == 0.0) return z;
    if (std::isnan(miss)) return miss;
    (miss > 0.0 ? high : low) = z;
    double step = -miss / at.slope(z);
    // A Newton step counts if it stays inside and the steps shrink fast enough; else the bracket is halved.
    const bool inside = z + step > low && z + step < high;
    if (!inside || std::fabs(step) > 0.6 * last_step) step = 0.5 * (low + high) - z;
    z += step;
    if (std::fabs(step) <= 4e-16 * std::fmax(1.0, std::fabs(z))) break;
    last_step = std::fabs(step);
  }
  // A bracket that closed on an end which was never evaluated holds no solution.
  if (high - low < 1e-6 && low == -widest_log) return std::nullopt;
  if (high - low < 1e-6 && high == widest_log) return HUGE_VAL;
  return z;
}

}  // namespace lacp
