#include "lacp/conformal/intervals.hpp"

#include "lacp/base/math.hpp"

namespace lacp {

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

}  // namespace lacp
