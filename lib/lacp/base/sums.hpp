#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

/// Sums in the order of their terms, one rounding each, so that they are the same bits on every machine. A
/// library's own sums may be split among vectors or threads. Ranges of doubles; the mean of nothing is NaN.
namespace lacp {

template <class Range>
double sum_of(const Range& values) {
  double total = 0.0;
  for (const double value : values) total += value;
  return total;
}

template <class Range>
double mean_of(const Range& values) {
  return sum_of(values) / static_cast<double>(std::size(values));
}

/// The population's standard deviation (divided by n).
template <class Range>
double deviation_of(const Range& values) {
  const double centre = mean_of(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(std::size(values)));
}

/// Of a copy, which is sorted in part.
template <class Range>
double median_of(const Range& values) {
  std::vector<double> sorted(std::begin(values), std::end(values));
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto upper = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), upper, sorted.end());
  if (sorted.size() % 2 != 0) return *upper;
  return 0.5 * *std::max_element(sorted.begin(), upper) + 0.5 * *upper;
}

/// Σ a_i b_i over n terms.
inline double dot_of(const double* a, const double* b, std::size_t n) {
  double total = 0.0;
  for (std::size_t i = 0; i < n; ++i) total += a[i] * b[i];
  return total;
}

/// Pearson's correlation; neither side may be constant.
template <class Range>
double correlation_of(const Range& a, const Range& b) {
  const double mean_a = mean_of(a), mean_b = mean_of(b);
  double aa = 0.0, bb = 0.0, ab = 0.0;
  for (auto x = std::begin(a), y = std::begin(b); x != std::end(a); ++x, ++y) {
    const double u = *x - mean_a, v = *y - mean_b;
    aa += u * u;
    bb += v * v;
    ab += u * v;
  }
  return ab / (std::sqrt(aa) * std::sqrt(bb));
}

}  // namespace lacp
