#pragma once

namespace lacp {

/// Regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x);

/// The t ≥ 0 where a decreasing function falls to `value`, by bisection to the last bit.
template <class F>
double solve_decreasing(const F& function, double value) {
  double low = 0.0, high = 1.0;
  while (function(high) > value && high < 1e300) high *= 2.0;
  while (true) {
    const double middle = low + (high - low) / 2.0;
    if (middle == low || middle == high) return high;
    (function(middle) > value ? low : high) = middle;
  }
}

}  // namespace lacp
