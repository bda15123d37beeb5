#include "lacp/conformal/slab.hpp"

#include <algorithm>
#include <cmath>

#include "lacp/base/sums.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_points =
    1000;  // of the half that the slab is chosen on: the search is quadratic in them
constexpr double least_share = 0.1;

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

/// The slab of lowest coverage along one direction: over all runs of at least `least` points in the order of
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

}  // namespace

double worst_slab_coverage(const arma::mat& X, const arma::vec& covered, Stream& stream) {
  const std::size_t n = covered.n_elem;
  const std::size_t chosen_on = std::min((n + 1) / 2, most_points);
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

}  // namespace lacp
