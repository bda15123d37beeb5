#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "lacp/base/math.hpp"

namespace lacp {

/// How much sizes adapt. For a scale family, intervals f ± q·s(x), and errors |r| = |f − y|,
///   ℓ_θ = (1/a) log mean(s^a) + log mean(|r|/s),  a = (1 − θ)/θ,  0 < θ ≤ 1,
/// has its minimum at s ∝ E[|r| | x]^θ. θ = ½ (a = 1) is the logarithm of the paper's ℓ_all with the pairs of
/// a point with itself in the mean; θ = 1 (a = 0, where the first term is mean log s) the likelihood of
/// Laplace errors; towards θ = 0 sizes become those of `fixed`. The unit of s does not matter.
///
/// In logarithms: t = log s and u = log(|r|/s), the first n of each. Fills the derivatives, which are softmax
/// weights and so add up to 1: by_t those by t, and by_u those by u. Errors that are all zero teach nothing:
/// the value is 0 and so are the derivatives.
inline double adaptation_loss(double theta, const std::vector<double>& t, const std::vector<double>& u,
                              std::size_t n, std::vector<double>& by_t, std::vector<double>& by_u) {
  // log mean e^{a(x − top)}, and the weights: with the largest exponent taken out the sum lies between 1 and
  // n.
  const auto log_mean = [n](double a, const std::vector<double>& x, double top, std::vector<double>& weight) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += weight[i] = math::exp(a * (x[i] - top));
    for (std::size_t i = 0; i < n; ++i) weight[i] /= sum;
    return math::log(sum / static_cast<double>(n));
  };
  const auto end = static_cast<std::ptrdiff_t>(n);
  const double u_top = *std::max_element(u.begin(), u.begin() + end);
  if (u_top == -HUGE_VAL) {
    std::fill_n(by_t.begin(), n, 0.0), std::fill_n(by_u.begin(), n, 0.0);
    return 0.0;
  }
  const auto [low, high] = std::minmax_element(t.begin(), t.begin() + end);
  const double t_top = *high, a = std::fmin((1.0 - theta) / theta, DBL_MAX);
  const double errors = u_top + log_mean(1.0, u, u_top, by_u);
  if (a * (t_top - *low) >= 1e-8) return t_top + log_mean(a, t, t_top, by_t) / a + errors;
  double sum = 0.0;  // a → 0: here the logarithm above would be rounding alone
  for (std::size_t i = 0; i < n; ++i) sum += t[i], by_t[i] = 1.0 / static_cast<double>(n);
  return sum / static_cast<double>(n) + errors;
}

}  // namespace lacp
