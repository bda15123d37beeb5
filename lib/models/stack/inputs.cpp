#include "models/stack/inputs.hpp"

#include <algorithm>
#include <cmath>

#include "lacp/base/math.hpp"

namespace lacp {
namespace {

/// Where the value at a place of the sorted values is mapped to: equal values share their middle rank.
BellMap::Knot knot_at(std::size_t place, const std::vector<float>& sorted) {
  constexpr double per_deviation = 0.55;
  const auto [begin, end] = std::equal_range(sorted.begin(), sorted.end(), sorted[place]);
  const auto middle = static_cast<double>((begin - sorted.begin()) + (end - sorted.begin())) / 2.0;
  const double rank = middle / static_cast<double>(sorted.size());  // between 0 and 1, and neither of them
  return {sorted[place], static_cast<float>(per_deviation * math::log(rank / (1.0 - rank)))};
}

/// The places of the knots among n sorted values: closer towards both ends, where the bell is steep.
std::size_t place_of_knot(std::size_t k, std::size_t n) {
  const double u = static_cast<double>(k) / static_cast<double>(BellMap::most_knots - 1);
  return static_cast<std::size_t>(u * u * (3.0 - 2.0 * u) * static_cast<double>(n - 1));
}

std::vector<BellMap::Knot> knots_of(std::vector<float> values) {
  std::ranges::sort(values);
  std::vector<float> different = values;
  different.erase(std::unique(different.begin(), different.end()), different.end());
  std::vector<BellMap::Knot> knots;
  const auto add = [&](std::size_t place) {
    if (knots.empty() || values[place] > knots.back().at) knots.push_back(knot_at(place, values));
  };
  if (different.size() <= BellMap::most_knots) {
    for (const float value : different)
      add(static_cast<std::size_t>(std::ranges::lower_bound(values, value) - values.begin()));
  } else {
    for (std::size_t k = 0; k < BellMap::most_knots; ++k) add(place_of_knot(k, values.size()));
  }
  return knots;
}

double mapped(double x, const std::vector<BellMap::Knot>& knots) {
  const auto above =
      std::ranges::upper_bound(knots, x, {}, [](const BellMap::Knot& knot) { return double{knot.at}; });
  if (above == knots.begin()) return double{knots.front().to};
  if (above == knots.end()) return double{knots.back().to};
  const auto [from, low] = *std::prev(above);
  const double share = (x - double{from}) / (double{above->at} - double{from});
  return double{low} + share * (double{above->to} - double{low});
}

}  // namespace

BellMap BellMap::fit(const arma::mat& X) {
  constexpr arma::uword most_rows = 20'000;
  BellMap map;
  std::vector<float> values(std::min(X.n_cols, most_rows));
  for (arma::uword i = 0; i < X.n_rows; ++i) {
    for (arma::uword n = 0; n < values.size(); ++n) values[n] = static_cast<float>(X(i, n));
    map.knots.push_back(knots_of(values));
  }
  return map;
}

arma::mat BellMap::map(arma::mat X) const {
  for (arma::uword n = 0; n < X.n_cols; ++n)
    for (arma::uword i = 0; i < X.n_rows; ++i) X(i, n) = mapped(X(i, n), knots[i]);
  return X;
}

bool BellMap::sound() const {
  const auto finite = [](const Knot& knot) { return std::isfinite(knot.at) && std::isfinite(knot.to); };
  const auto unordered = [](const Knot& a, const Knot& b) { return !(a.at < b.at) || !(a.to <= b.to); };
  return std::ranges::all_of(knots, [&](const std::vector<Knot>& each) {
    return !each.empty() && std::ranges::all_of(each, finite) &&
           std::ranges::adjacent_find(each, unordered) == each.end();
  });
}

}  // namespace lacp
