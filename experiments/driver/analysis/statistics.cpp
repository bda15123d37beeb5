#include "analysis/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"

namespace lacp {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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

/// P(|Z| ≥ z) for a standard normal Z and z ≥ 0: by its power series, or its continued fraction
/// (DLMF 7.6.2, 7.9.1).
double normal_two_sided_p(double z) {
  const double density = std::sqrt(2.0 / std::numbers::pi) * math::exp(-0.5 * z * z);
  if (z < 2.0) {
    double term = z, sum = 0.0;
    for (int odd = 3; sum + term != sum; odd += 2) sum += term, term *= z * z / odd;
    return 1.0 - density * sum;
  }
  double fraction = z;
  for (int k = 200; k > 0; --k) fraction = z + k / fraction;
  return density / fraction;
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

/// Regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front =
      math::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * math::log(x) + b * math::log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

/// Where Beta(`inside`, `outside`) lies but for this share of it at either end.
std::pair<double, double> beta_range(double inside, double outside, double tail) {
  const auto above = [&](double coverage) { return 1.0 - incomplete_beta(inside, outside, coverage); };
  return {solve_decreasing(above, 1.0 - tail), solve_decreasing(above, tail)};
}

/// How many of the n + 1 ranks of a new point lie outside its interval; 0: the interval is infinite.
double ranks_outside(const Level& level, Sides sides, std::size_t n) {
  const std::size_t k = (sides == Sides::each ? level.half() : level).rank(n);
  return static_cast<double>((sides == Sides::each ? 2 : 1) * (n + 1 - std::min(k, n + 1)));
}

/// The places of these values, but for those that are not a number, the smallest value first.
std::vector<std::size_t> ascending(std::span<const double> values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i])) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  return order;
}

/// Ranks from 1 for the smallest; equal values, infinite ones too, share their mean rank.
std::vector<double> ranks_of(std::span<const double> values) {
  const std::vector<std::size_t> order = ascending(values);
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = 0.5 * static_cast<double>(first + 1 + last);
  }
  return ranks;
}

}  // namespace

double Moments::standard_error() const {
  if (n < 2) return NAN;
  const double independent = deviation / std::sqrt(static_cast<double>(n - 1));
  return independent * std::sqrt(1.0 + static_cast<double>(n) * overlap);
}

Moments moments(std::span<const double> values, double overlap) {
  return {mean_of(values), values.size() < 2 ? NAN : deviation_of(values), values.size(), overlap};
}

std::pair<double, double> expected_coverage(const Level& level, Sides sides, std::size_t n) {
  const double outside = ranks_outside(level, sides, n);
  if (outside == 0.0) return {1.0, 1.0};
  return beta_range(static_cast<double>(n + 1) - outside, outside, 0.05);
}

std::pair<double, double> expected_share(const Level& level, Sides sides, std::size_t n, std::size_t rows) {
  const double outside = ranks_outside(level, sides, n), ranks = static_cast<double>(n + 1),
               drawn = static_cast<double>(rows);
  if (outside == 0.0) return {1.0, 1.0};
  const double both = drawn * (ranks + 1.0) / (drawn + ranks) - 1.0;  // a + b of that Beta(a, b)
  return beta_range(both * (1.0 - outside / ranks), both * outside / ranks, 0.005);
}

double student_two_sided_p(double t, double freedom) { return fisher_p(t * t, 1.0, freedom); }

double student_two_sided_t(double p, double freedom) {
  return solve_decreasing([&](double t) { return student_two_sided_p(t, freedom); }, p);
}

double normal_two_sided_z(double p) { return solve_decreasing(normal_two_sided_p, p); }

double studentised_range_q(double p, std::size_t groups) {
  // P(range ≤ q) = k ∫ φ(z) (Φ(z + q) − Φ(z))^(k−1) dz, z the smallest of k; the trapezoidal rule converges
  // faster than any power of its step for such integrands.
  constexpr double step = 1.0 / 16, reach = 9.0;
  const auto below = [](double z) {  // Φ
    const double outside = 0.5 * normal_two_sided_p(std::abs(z));
    return z < 0.0 ? outside : 1.0 - outside;
  };
  const auto beyond = [&](double q) {
    double sum = 0.0;
    for (double z = -reach; z <= reach; z += step) {
      const double inside = below(z + q) - below(z);
      double power = 1.0;
      for (std::size_t i = 1; i < groups; ++i) power *= inside;
      sum += math::exp(-0.5 * z * z) * power;
    }
    return 1.0 - static_cast<double>(groups) * step * sum / std::sqrt(2.0 * std::numbers::pi);
  };
  return solve_decreasing(beyond, p);
}

double fisher_p(double f, double above, double below) {
  if (std::isnan(f) || std::isnan(below)) return NAN;
  if (std::isinf(f)) return 0.0;
  return incomplete_beta(below / 2.0, above / 2.0, below / (below + above * f));
}

FriedmanTest friedman_test(const std::vector<std::vector<double>>& scores) {
  const std::size_t methods = scores.front().size();
  const auto n = static_cast<double>(scores.size()), k = static_cast<double>(methods);
  const double middle = (k + 1.0) / 2.0;
  FriedmanTest test{.mean_ranks = std::vector<double>(methods, 0.0)};
  double spread = 0.0, between = 0.0;
  for (const std::vector<double>& row : scores) {
    const std::vector<double> ranks = ranks_of(row);
    for (std::size_t i = 0; i < methods; ++i) {
      test.mean_ranks[i] += ranks[i];
      spread += (ranks[i] - middle) * (ranks[i] - middle);
    }
  }
  for (double& rank : test.mean_ranks) {
    rank /= n;
    between += n * (rank - middle) * (rank - middle);
  }
  // Within data sets ranks have no other variance: F = (N − 1) χ² / (N (k − 1) − χ²), χ² = N (k − 1)
  // between/spread.
  test.p = spread == 0.0 ? 1.0
           : between >= spread
               ? 0.0
               : fisher_p((n - 1.0) * between / (spread - between), k - 1.0, (k - 1.0) * (n - 1.0));
  test.critical_difference =
      studentised_range_q(error_rate, methods) / std::numbers::sqrt2 * std::sqrt(k * (k + 1.0) / (6.0 * n));
  return test;
}

double wilcoxon_p(std::span<const double> differences) {
  std::vector<double> sizes;
  for (const double d : differences) sizes.push_back(std::isnan(d) ? 0.0 : std::abs(d));
  const std::vector<double> ranks = ranks_of(sizes);
  // Of the sum of all ranks with their signs, in halves, which mean ranks are multiples of: `chances` of each
  // value from −reach on, if every sign were drawn by a coin.
  std::vector<double> chances = {1.0};
  long sum = 0, reach = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0.0) continue;
    const auto rank = static_cast<std::size_t>(2.0 * ranks[i]);
    std::vector<double> next(chances.size() + 2 * rank, 0.0);
    for (std::size_t at = 0; at < chances.size(); ++at) {
      next[at] += 0.5 * chances[at];
      next[at + 2 * rank] += 0.5 * chances[at];
    }
    chances = std::move(next);
    reach += static_cast<long>(rank);
    sum += differences[i] > 0.0 ? static_cast<long>(rank) : -static_cast<long>(rank);
  }
  double p = 0.0;
  for (long at = -reach; at <= reach; ++at)
    if (std::abs(at) >= std::abs(sum)) p += chances[static_cast<std::size_t>(at + reach)];
  return std::min(p, 1.0);
}

WelchTest welch_test(const Moments& a, const Moments& b) {
  const double va = a.standard_error() * a.standard_error(), vb = b.standard_error() * b.standard_error();
  const double difference = a.mean - b.mean;
  if (!std::isfinite(va + vb) || !std::isfinite(difference)) return {difference, NAN, NAN, NAN};
  if (va + vb == 0.0) {
    if (difference == 0.0) return {0.0, 0.0, infinity, 1.0};
    return {difference, std::copysign(infinity, difference), infinity, 0.0};
  }
  const double z = difference / std::sqrt(va + vb);
  const double freedom = (va + vb) * (va + vb) /
                         (va * va / static_cast<double>(a.n - 1) + vb * vb / static_cast<double>(b.n - 1));
  return {difference, z, freedom, student_two_sided_p(z, freedom)};
}

std::vector<double> holm(std::span<const double> p) {
  const std::vector<std::size_t> order = ascending(p);
  std::vector<double> adjusted(p.size(), NAN);
  double largest = 0.0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - k) * p[order[k]]));
    adjusted[order[k]] = largest;
  }
  return adjusted;
}

double same_variance_p(std::span<const double> a, std::span<const double> b) {
  const std::size_t n = a.size();
  std::vector<double> sums, differences;
  for (std::size_t i = 0; i < n; ++i) sums.push_back(a[i] + b[i]), differences.push_back(a[i] - b[i]);
  const double r = correlation_of(sums, differences);
  if (n < 3 || !std::isfinite(r)) return NAN;
  const auto freedom = static_cast<double>(n - 2);
  return student_two_sided_p(r * std::sqrt(freedom / std::max(1.0 - r * r, 0.0)), freedom);
}

PairedInterval paired_interval(std::span<const double> differences, double overlap) {
  const Moments m = moments(differences, overlap);
  const double error = m.standard_error();
  if (!std::isfinite(error)) return {m.mean, -infinity, infinity, NAN, m.n};
  const auto freedom = static_cast<double>(m.n - 1);
  const double margin = error == 0.0 ? 0.0 : error * student_two_sided_t(0.05, freedom);
  const double t = error == 0.0 ? (m.mean == 0.0 ? 0.0 : infinity) : m.mean / error;
  return {m.mean, m.mean - margin, m.mean + margin, student_two_sided_p(t, freedom), m.n};
}

}  // namespace lacp
