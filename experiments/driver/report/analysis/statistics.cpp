#include "report/analysis/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "common/coverage.hpp"
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

}  // namespace

double Moments::standard_error() const {
  if (n < 2) return NAN;
  const double independent = std::max(deviation, least_deviation) / std::sqrt(static_cast<double>(n - 1));
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

double student_two_sided_p(double t, double freedom) {
  const double square = t * t;
  if (std::isnan(square) || std::isnan(freedom)) return NAN;
  if (std::isinf(square)) return 0.0;
  return incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + square));
}

double student_two_sided_t(double p, double freedom) {
  return solve_decreasing([&](double t) { return student_two_sided_p(t, freedom); }, p);
}

double normal_two_sided_z(double p) { return solve_decreasing(normal_two_sided_p, p); }

std::vector<double> ranks_of(std::span<const double> values) {
  const std::vector<std::size_t> order = ascending(values);
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = 0.5 * static_cast<double>(first + 1 + last);
  }
  return ranks;
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
    return {difference, NAN, NAN, NAN};
  }
  const double z = difference / std::sqrt(va + vb);
  const double freedom = (va + vb) * (va + vb) /
                         (va * va / static_cast<double>(a.n - 1) + vb * vb / static_cast<double>(b.n - 1));
  return {difference, z, freedom, student_two_sided_p(z, freedom)};
}

double mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  const std::vector<double> ranks = ranks_of(all);
  double sum = 0.0, spread = 0.0;  // of the ranks of a; of all ranks around their mean
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  const double middle = 0.5 * (n + m + 1.0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < a.size()) sum += ranks[i] - middle;
    spread += (ranks[i] - middle) * (ranks[i] - middle);
  }
  if (a.empty() || b.empty() || spread == 0.0) return NAN;
  const double variance = n * m * spread / ((n + m) * (n + m - 1.0));
  return normal_two_sided_p(std::max(std::abs(sum) - 0.5, 0.0) / std::sqrt(variance));
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

PairedInterval paired_interval(std::span<const double> differences, double overlap, double least_deviation) {
  Moments m = moments(differences, overlap);
  m.least_deviation = least_deviation;
  const double error = m.standard_error();
  if (!std::isfinite(error) || (error == 0.0 && m.mean != 0.0))
    return {m.mean, -infinity, infinity, NAN, m.n};
  if (error == 0.0) return {0.0, 0.0, 0.0, 1.0, m.n};
  const auto freedom = static_cast<double>(m.n - 1);
  const double margin = error * student_two_sided_t(0.05, freedom);
  return {m.mean, m.mean - margin, m.mean + margin, student_two_sided_p(m.mean / error, freedom), m.n};
}

}  // namespace lacp
