#include "experiment/metrics.hpp"

#include <algorithm>
#include <cmath>

#include "lacp/base/sums.hpp"
#include "models/trees/boosted.hpp"

namespace lacp {
namespace {

constexpr std::size_t deciles = 10, strata = 4;
constexpr std::size_t risk_folds = 5, fewest_points = 50;  // of the excess risk
constexpr std::size_t slab_points = 1000;  // that a slab is chosen on: the search is quadratic in them
constexpr double least_share = 0.1;        // of them in a slab

/// What every metric looks at, worked out once.
struct Scored {
  const ScoredIntervals& intervals;
  arma::vec error;    // |f − y|
  arma::vec covered;  // 1 where y lies in its interval, else 0
  arma::vec size;     // half the width; empty_interval for an empty one

  explicit Scored(const ScoredIntervals& i)
      : intervals(i), error(arma::abs(i.f - i.y)), covered(error.n_elem), size(i.bounds.half_width()) {
    for (arma::uword n = 0; n < error.n_elem; ++n) {
      covered(n) = covers(i.bounds, n, i.f(n), i.y(n)) ? 1.0 : 0.0;
      if (!i.bounds.is_empty(n)) size(n) /= i.unit;
    }
  }
  const arma::vec& rank_width() const {
    return intervals.rank_width.is_empty() ? size : intervals.rank_width;
  }
};

/// Bin k of `bins` of sorted points; empty where there are fewer points than bins.
arma::uvec bin_of(const arma::uvec& order, std::size_t k, std::size_t bins) {
  const std::size_t begin = order.n_elem * k / bins, end = order.n_elem * (k + 1) / bins;
  return begin == end ? arma::uvec() : arma::uvec(order.subvec(begin, end - 1));
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
    const arma::uvec bin = bin_of(order, k, strata);
    if (!bin.is_empty()) lowest = std::min(lowest, mean_of(arma::vec(s.covered(bin))));
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
    const arma::uvec bin = bin_of(order, k, deciles);
    if (bin.is_empty()) continue;
    const arma::vec sizes = sizes_of(s.size(bin)), finite = sizes(arma::find_finite(sizes));
    values.push_back({"coverage_by_error", k + 1, mean_of(arma::vec(s.covered(bin)))});
    if (!finite.is_empty()) values.push_back({"size_by_error", k + 1, mean_of(finite)});
  }
}

/// vᵀx of every column x.
arma::vec positions(const arma::mat& X, const arma::vec& v) {
  arma::vec position(X.n_cols);
  for (arma::uword n = 0; n < X.n_cols; ++n) position(n) = dot_of(X.colptr(n), v.memptr(), v.n_elem);
  return position;
}

struct Slab {
  arma::vec direction;
  double low = -arma::datum::inf, high = arma::datum::inf, coverage = 1.0;
};

/// The slab of lowest coverage along a direction: over all runs of `least` points or more in the order of
/// vᵀx.
Slab worst_along(const arma::vec& direction, const arma::mat& X, const arma::vec& covered,
                 std::size_t least) {
  const arma::vec position = positions(X, direction);
  const arma::uvec order = arma::stable_sort_index(position);
  std::vector<double> sum(order.n_elem + 1, 0.0);
  for (arma::uword i = 0; i < order.n_elem; ++i) sum[i + 1] = sum[i] + covered(order(i));
  Slab worst{.direction = direction};
  for (std::size_t begin = 0; begin + least <= order.n_elem; ++begin)
    for (std::size_t end = begin + least; end <= order.n_elem; ++end) {
      const double coverage = (sum[end] - sum[begin]) / static_cast<double>(end - begin);
      if (coverage < worst.coverage)
        worst = {direction, position(order(begin)), position(order(end - 1)), coverage};
    }
  return worst;
}

/// Small trees and few rounds: there is little to find, and blog_data has 280 attributes.
const BoostedOptions classifier{.rounds = 40,
                                .learning_rate = 0.15,
                                .leaves = 8,
                                .least_rows = 20,
                                .bins = 63,
                                .validation_share = 0.2,
                                .patience = 5};

/// P(covered | x) of points by trees that have not seen them.
arma::vec predicted(const arma::mat& X, const arma::vec& covered, Stream& stream) {
  const auto order = stream.permutation<arma::uword>(covered.n_elem);
  arma::vec p(covered.n_elem);
  for (std::size_t fold = 0; fold < risk_folds; ++fold) {
    std::vector<arma::uword> fitted, left_out;
    for (std::size_t i = 0; i < order.size(); ++i)
      (i % risk_folds == fold ? left_out : fitted).push_back(order[i]);
    const arma::uvec rows(fitted), others(left_out);
    const BoostedTrees trees = BoostedTrees::fit(X.cols(rows), covered.elem(rows), classifier, stream);
    p.elem(others) = arma::clamp(trees.predict(X.cols(others)), 0.0, 1.0);
  }
  return p;
}

}  // namespace

std::vector<MetricValue> measure(const ScoredIntervals& intervals, const Level& level, Stream& stream,
                                 Stream* folds) {
  const Scored s(intervals);
  const auto n = static_cast<double>(s.error.n_elem);
  const auto share_of = [&](const arma::uvec& found) { return static_cast<double>(found.n_elem) / n; };
  const arma::vec sizes = sizes_of(s.size);
  const arma::uvec infinite = arma::find(s.size == arma::datum::inf);
  std::vector<MetricValue> values;
  const auto add = [&](std::string name, double value) { values.push_back({std::move(name), 0, value}); };

  add("size_mean", mean_size(s.size));
  add("size_median", median_of(sizes));
  add("validity", mean_of(s.covered));
  add("infinite", share_of(infinite));
  add("empty", share_of(arma::find(s.size < 0.0)));
  add("stratified_coverage", stratified_coverage(s));
  add("worst_slab_coverage", worst_slab_coverage(intervals.X, s.covered, stream));
  add("size_error_correlation", rank_correlation(s.rank_width(), s.error));
  add("winkler", winkler_score(intervals.bounds, intervals.f, intervals.y, level) / intervals.unit);
  add_by_error(s, values);
  if (folds != nullptr) {
    const ExcessRisk risk = excess_risk(intervals.X, s.covered, level.value(), *folds);
    add("ert", risk.value);
    add("ert_error", risk.error);
  }
  return values;
}

double worst_slab_coverage(const arma::mat& X, const arma::vec& covered, Stream& stream) {
  const std::size_t n = covered.n_elem;
  const std::size_t chosen_on = std::min((n + 1) / 2, slab_points);
  const arma::uvec order(stream.permutation<arma::uword>(n));
  if (n < 2) return mean_of(covered);
  const arma::uvec first = order.head(chosen_on), second = order.tail(n - chosen_on);
  const arma::mat X_first = X.cols(first);
  const arma::vec covered_first = covered(first);
  const auto least = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::ceil(least_share * static_cast<double>(chosen_on))));

  Slab worst{.direction = arma::vec(X.n_rows, arma::fill::zeros)};
  for (std::size_t d = 0; d < slab_directions; ++d) {
    arma::vec direction(X.n_rows);
    for (double& v : direction) v = stream.normal();
    Slab slab = worst_along(direction, X_first, covered_first, least);
    if (slab.coverage < worst.coverage) worst = std::move(slab);
  }
  const arma::vec position = positions(X.cols(second), worst.direction);
  const arma::uvec inside = arma::find(position >= worst.low && position <= worst.high);
  return inside.is_empty() ? mean_of(covered) : mean_of(arma::vec(covered(second(inside))));
}

ExcessRisk excess_risk(const arma::mat& X, const arma::vec& covered, double alpha, Stream& stream) {
  if (covered.n_elem < fewest_points) return {arma::datum::nan, arma::datum::nan};
  const arma::vec p = predicted(X, covered, stream);
  std::vector<double> gain(covered.n_elem);
  for (arma::uword i = 0; i < covered.n_elem; ++i) {
    const double by_constant = 1.0 - alpha - covered(i), by_trees = p(i) - covered(i);
    gain[i] = by_constant * by_constant - by_trees * by_trees;
  }
  return {mean_of(gain), deviation_of(gain) / std::sqrt(static_cast<double>(gain.size() - 1))};
}

}  // namespace lacp
