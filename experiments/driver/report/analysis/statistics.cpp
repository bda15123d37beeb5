#include "report/analysis/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "common/beta.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"

namespace lacp {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// P(|Z| ≥ z) for a standard normal Z and z ≥ 0: by its power series, or its continued fraction
/// (DLMF 7.6.2, 7.9.1).
double normal_two_sided_p(double z) {
  const double density = std::sqrt(2.0 / std::numbers::pi) * math::exp(-0.5 * z * z);
  if (z < 2.0) {
    double term = z, sum = 0.0;
    for (int odd = 3; sum + term != sum; odd += 2) {
      sum += term;
      term *= z * z / odd;
    }
    return 1.0 - density * sum;
  }
  double fraction = z;
  for (int k = 200; k > 0; --k) fraction = z + k / fraction;
  return density / fraction;
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

double median_error(std::span<const double> values) {
  if (values.size() < 2) return NAN;
  const double centre = median_of(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - centre));
  const auto n = static_cast<double>(values.size());
  return 1.4826 * median_of(distances) * std::sqrt(0.5 * std::numbers::pi / n);
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
  if (spread == 0.0)
    test.p = 1.0;
  else if (between >= spread)
    test.p = 0.0;
  else
    test.p = fisher_p((n - 1.0) * between / (spread - between), k - 1.0, (k - 1.0) * (n - 1.0));
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
  for (std::size_t i = 0; i < n; ++i) {
    sums.push_back(a[i] + b[i]);
    differences.push_back(a[i] - b[i]);
  }
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
