#include "models/predictor/drift.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"

namespace lacp {
namespace {

/// From 1; equal values have the mean of theirs.
arma::vec mean_ranks(const arma::vec& values) {
  std::vector<arma::uword> order(values.n_elem);
  for (arma::uword i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](arma::uword i) { return values(i); });
  arma::vec ranks(values.n_elem);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values(order[end]) == values(order[begin])) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks(order[i]) = 0.5 * static_cast<double>(begin + 1 + end);
  }
  return ranks;
}

/// Two rank sums less what is expected of them, and their covariance if all orders are equally likely.
struct RankSums {
  double level = 0.0, spread = 0.0;
  double level_level = 0.0, spread_spread = 0.0, level_spread = 0.0;

  explicit RankSums(const ScoredRows& rows) {
    const std::size_t all = rows.score.n_elem;
    const auto n = static_cast<double>(all), old = static_cast<double>(rows.old);
    if (rows.old == 0 || rows.old == all) return;
    const arma::vec by_score = mean_ranks(rows.score), signed_ranks = mean_ranks(by_score % rows.side);
    // The mean of ranks is known: sums of what is left are small.
    const double unit = 1.0 / (n + 1.0), chance = old * (n - old) / (n * (n - 1.0));
    double aa = 0.0, bb = 0.0, ab = 0.0;
    for (std::size_t i = 0; i < all; ++i) {
      const double a = unit * signed_ranks(i) - 0.5, b = unit * by_score(i) - 0.5;
      aa += a * a;
      bb += b * b;
      ab += a * b;
      if (i < rows.old) continue;
      level += a;
      spread += b;
    }
    level_level = chance * aa;
    spread_spread = chance * bb;
    level_spread = chance * ab;
  }

  /// The squared distance in units of the covariance; of one sum alone where the other says the same.
  double distance() const {
    constexpr double alike = 1e-9;
    const double det = level_level * spread_spread - level_spread * level_spread;
    if (det > alike * level_level * spread_spread)
      return (level * level * spread_spread - 2.0 * level * spread * level_spread +
              spread * spread * level_level) /
             det;
    if (spread_spread > 0.0) return spread * spread / spread_spread;
    return level_level > 0.0 ? level * level / level_level : 0.0;
  }
};

/// Counts the old rows with the largest scores, as many as `outside` says, by their side.
void count_outside(const ScoredRows& rows, double outside, DriftTest& found) {
  std::vector<arma::uword> order(rows.old);
  for (arma::uword i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater{}, [&](arma::uword i) { return rows.score(i); });
  order.resize(static_cast<std::size_t>(std::round(outside * static_cast<double>(rows.old))));
  for (const arma::uword i : order) {
    if (rows.side(i) > 0.0) found.above += 1.0;
    if (rows.side(i) < 0.0) found.below += 1.0;
  }
}

double deviate(double sum, double variance) { return variance > 0.0 ? sum / std::sqrt(variance) : 0.0; }

}  // namespace

DriftTest rank_test(const ScoredRows& rows, double outside) {
  constexpr std::size_t fewest = 10;
  DriftTest found{.old_rows = rows.old, .new_rows = rows.score.n_elem - rows.old};
  const RankSums sums(rows);
  count_outside(rows, outside, found);
  // As shares of those that are to lie outside: with few rows there may be no tenth.
  const double counted = found.above + found.below;
  found.above = counted > 0.0 ? outside * found.above / counted : 0.5 * outside;
  found.below = outside - found.above;
  if (std::min(found.old_rows, found.new_rows) < fewest) return found;
  found.p = math::exp(-0.5 * sums.distance());
  found.level = deviate(sums.level, sums.level_level);
  found.spread = deviate(sums.spread, sums.spread_spread);
  return found;
}

Explained explained(const arma::vec& f, const arma::vec& y) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (y.n_elem < 2) return {unknown, unknown, unknown};
  const arma::vec errors = y - f;
  const double mean = mean_of(y), mean_error = mean_of(errors);
  double squares = 0.0, about_mean = 0.0, spread = 0.0;
  for (arma::uword i = 0; i < y.n_elem; ++i) {
    squares += errors(i) * errors(i);
    about_mean += (errors(i) - mean_error) * (errors(i) - mean_error);
    spread += (y(i) - mean) * (y(i) - mean);
  }
  const double deviation = std::sqrt(about_mean / static_cast<double>(y.n_elem));
  if (!(spread > 0.0)) return {unknown, unknown, deviation};
  return {1.0 - squares / spread, 1.0 - about_mean / spread, deviation};
}

}  // namespace lacp
