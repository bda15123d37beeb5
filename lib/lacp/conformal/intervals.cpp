#include "lacp/conformal/intervals.hpp"

#include <algorithm>
#include <numeric>

#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"

namespace lacp {

Questions Questions::with_quantiles(const std::vector<Level>& taus) const {
  Questions all = *this;
  for (const Level& tau : taus) {
    const bool below = tau.value() < 0.5;
    std::vector<Level>& ends = below ? all.lower : all.upper;
    const Level level = below ? tau : tau.complement();
    if (std::ranges::count(ends, level) == 0) ends.push_back(level);
  }
  return all;
}

const std::vector<Level>& Questions::at(Ends ends) const {
  if (ends == Ends::both) return levels;
  return ends == Ends::lower ? lower : upper;
}

void SingleEnds::set(Ends ends, const arma::vec& f, const std::vector<Bounds>& bounds) {
  arma::mat& found = ends == Ends::lower ? lower : upper;
  found.set_size(bounds.size(), f.n_elem);
  for (arma::uword l = 0; l < bounds.size(); ++l)
    for (arma::uword n = 0; n < f.n_elem; ++n)
      found(l, n) =
          ends == Ends::lower ? lower_end(f(n), bounds[l].below(n)) : upper_end(f(n), bounds[l].above(n));
}

arma::rowvec SingleEnds::at(Ends ends, const Level& level) const {
  const auto place = std::ranges::find(asked.at(ends), level) - asked.at(ends).begin();
  return (ends == Ends::lower ? lower : upper).row(static_cast<arma::uword>(place));
}

arma::mat SingleEnds::quantiles(const std::vector<Level>& taus) const {
  std::vector<arma::uword> order(taus.size());
  std::iota(order.begin(), order.end(), arma::uword{0});
  std::ranges::stable_sort(order, {}, [&](arma::uword k) { return taus[k].value(); });
  arma::mat found(taus.size(), std::max(lower.n_cols, upper.n_cols));
  std::size_t below = 0;
  for (std::size_t k = 0; k < taus.size(); ++k) {
    const bool is_below = taus[k].value() < 0.5;
    below += is_below ? 1 : 0;
    found.row(k) = is_below ? at(Ends::lower, taus[k]) : at(Ends::upper, taus[k].complement());
  }
  for (arma::uword n = 0; n < found.n_cols; ++n) {
    const auto value = [&](std::size_t k) -> double& { return found(order[k], n); };
    for (std::size_t k = below + 1; k < order.size(); ++k) value(k) = std::max(value(k), value(k - 1));
    for (std::size_t k = below; k-- > 0;)
      if (k + 1 < order.size()) value(k) = std::min(value(k), value(k + 1));
  }
  return found;
}

arma::vec log_scores(arma::vec error) {
  for (double& e : error) e = 2.0 * math::log(e);
  return error;
}

arma::vec Bounds::half_width() const {
  arma::vec half = below;  // to the bit where the sides are equal
  for (arma::uword n = 0; n < half.n_elem; ++n) {
    if (below(n) != above(n)) half(n) = 0.5 * (below(n) + above(n));
    if (half(n) < 0.0) half(n) = empty_interval;
  }
  return half;
}

double quantile(const arma::vec& sorted, const Level& level, QuantileRule rule) {
  const std::size_t rank = level.rank(sorted.n_elem, rule);
  return rank > sorted.n_elem ? arma::datum::inf : sorted(rank - 1);
}

arma::vec leave_one_out(const arma::vec& scores, const Level& level, QuantileRule rule) {
  const std::size_t n = scores.n_elem;
  arma::vec quantiles(n);
  if (n == 0) return quantiles;
  const std::size_t rank = level.rank(n - 1, rule);  // among the n − 1 others
  if (rank > n - 1) return quantiles.fill(arma::datum::inf);
  const arma::vec sorted = arma::sort(scores);
  // Without a point that is among the `rank` smallest, the rank-th smallest of the rest is the next one up.
  // Among equal scores it does not matter which one is left out.
  const double here = sorted(rank - 1), next = sorted(rank);
  for (std::size_t i = 0; i < n; ++i) quantiles(i) = scores(i) <= here ? next : here;
  return quantiles;
}

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
    const bool empty = bounds.is_empty(n);
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

double winkler_of_sides(const arma::vec& errors, const arma::vec& s, const Level& level, QuantileRule rule) {
  const arma::vec z = errors / s;
  const Bounds bounds{leave_one_out(-z, level.half(), rule) % s, leave_one_out(z, level.half(), rule) % s};
  return winkler_score(bounds, arma::zeros(s.n_elem), errors, level);
}

}  // namespace lacp
