#include "lacp/conformal/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lacp/base/sums.hpp"
#include "lacp/conformal/excess_risk.hpp"
#include "lacp/conformal/slab.hpp"

namespace lacp {
namespace {

constexpr std::size_t deciles = 10;
constexpr std::size_t strata = 4;

/// What every metric looks at, worked out once.
struct Scored {
  const ScoredIntervals& intervals;
  arma::vec error;    // |f − y|
  arma::vec covered;  // 1 where y lies in its interval, else 0
  arma::vec size;     // half the width

  explicit Scored(const ScoredIntervals& i)
      : intervals(i), error(arma::abs(i.f - i.y)), covered(error.n_elem), size(i.bounds.half_width()) {
    for (arma::uword n = 0; n < error.n_elem; ++n) {
      const bool inside =
          lower_end(i.f(n), i.bounds.below(n)) <= i.y(n) && i.y(n) <= upper_end(i.f(n), i.bounds.above(n));
      covered(n) = inside && !(size(n) < 0.0) ? 1.0 : 0.0;
    }
  }
  const arma::vec& rank_width() const {
    return intervals.rank_width.is_empty() ? size : intervals.rank_width;
  }
};

/// Bounds of bin k of `bins` among n sorted points.
std::pair<std::size_t, std::size_t> bin_range(std::size_t n, std::size_t k, std::size_t bins) {
  return {n * k / bins, n * (k + 1) / bins};
}

/// Ranks from 1, ties sharing their mean rank.
arma::vec ranks(const arma::vec& values) {
  const arma::uvec order = arma::stable_sort_index(values);
  arma::vec rank(values.n_elem);
  for (arma::uword first = 0, last = 0; first < order.n_elem; first = last) {
    while (last < order.n_elem && values(order(last)) == values(order(first))) ++last;
    const double shared = 0.5 * static_cast<double>(first + 1 + last);
    for (arma::uword i = first; i < last; ++i) rank(order(i)) = shared;
  }
  return rank;
}

double stratified_coverage(const Scored& s) {
  const arma::uvec order = arma::stable_sort_index(s.rank_width());
  double lowest = 1.0;
  for (std::size_t k = 0; k < strata; ++k) {
    const auto [begin, end] = bin_range(order.n_elem, k, strata);
    if (begin < end) lowest = std::min(lowest, mean_of(arma::vec(s.covered(order.subvec(begin, end - 1)))));
  }
  return lowest;
}

/// Spearman's correlation, 0 where one side is constant (all intervals of `fixed` are equal).
double rank_correlation(const arma::vec& a, const arma::vec& b) {
  const arma::vec ra = ranks(a), rb = ranks(b);
  if (ra.min() == ra.max() || rb.min() == rb.max()) return 0.0;
  return correlation_of(ra, rb);
}

void add_by_error(const Scored& s, std::vector<MetricValue>& values) {
  const arma::uvec order = arma::stable_sort_index(s.intervals.local_error);
  for (std::size_t k = 0; k < deciles; ++k) {
    const auto [begin, end] = bin_range(order.n_elem, k, deciles);
    if (begin == end) continue;  // fewer points than deciles
    const arma::uvec bin = order.subvec(begin, end - 1);
    const arma::vec sizes = sizes_of(s.size(bin)), finite = sizes(arma::find_finite(sizes));
    values.push_back({"coverage_by_error", k + 1, mean_of(arma::vec(s.covered(bin)))});
    if (!finite.is_empty()) values.push_back({"size_by_error", k + 1, mean_of(finite)});
  }
}

}  // namespace

arma::vec sizes_of(const arma::vec& half_width) {
  return half_width(arma::find((half_width < 0.0) == 0));  // a nan stays
}

double mean_size(const arma::vec& half_width) {
  const arma::vec sizes = sizes_of(half_width);
  if (sizes.is_empty()) return arma::datum::nan;
  return arma::any(sizes == arma::datum::inf) ? arma::datum::inf : mean_of(sizes);
}

double winkler_score(const Bounds& bounds, const arma::vec& f, const arma::vec& y, const Level& level) {
  double sum = 0.0;
  for (arma::uword n = 0; n < y.n_elem; ++n) {
    const bool empty = bounds.below(n) + bounds.above(n) < 0.0;
    const double below = empty ? 0.0 : bounds.below(n), above = empty ? 0.0 : bounds.above(n);
    const double over = y(n) - f(n), outside = std::max(-over - below, 0.0) + std::max(over - above, 0.0);
    sum += (below + above) + 2.0 / level.value() * outside;
  }
  return sum / static_cast<double>(y.n_elem);
}

double winkler_score(const arma::vec& half_width, const arma::vec& error, const Level& level) {
  return winkler_score(Bounds::symmetric(half_width), arma::vec(error.n_elem, arma::fill::zeros), error,
                       level);
}

std::vector<MetricValue> measure(const ScoredIntervals& intervals, const Level& level, Stream& stream,
                                 Stream* folds) {
  const Scored s(intervals);
  const auto n = static_cast<double>(s.error.n_elem);
  const auto share = [&](const arma::uvec& found) { return static_cast<double>(found.n_elem) / n; };
  const arma::vec sizes = sizes_of(s.size);
  const arma::uvec infinite = arma::find(s.size == arma::datum::inf);
  std::vector<MetricValue> values;
  const auto add = [&](std::string name, double value) { values.push_back({std::move(name), 0, value}); };

  add("size_mean", mean_size(s.size));
  add("size_median", median_of(sizes));
  add("validity", mean_of(s.covered));
  add("infinite", share(infinite));
  add("empty", share(arma::find(s.size < 0.0)));
  add("stratified_coverage", stratified_coverage(s));
  add("worst_slab_coverage", worst_slab_coverage(intervals.X, s.covered, stream));
  add("size_error_correlation", rank_correlation(s.rank_width(), s.error));
  add("winkler", winkler_score(intervals.bounds, intervals.f, intervals.y, level));
  add_by_error(s, values);
  if (folds != nullptr) {
    const ExcessRisk risk = excess_risk(intervals.X, s.covered, level.value(), *folds);
    add("ert", risk.value);
    add("ert_error", risk.error);
  }
  return values;
}

}  // namespace lacp
