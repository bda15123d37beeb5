#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <vector>

namespace lacp {

/// A point at some distance from a query.
struct Neighbour {
  double distance;
  std::size_t index;
  auto operator<=>(const Neighbour&) const = default;
};

/// Among the k nearest, the last at the largest distance: replaces those at that distance by the points of
/// lowest index that `distance(j)` puts there too. No point counts twice, even where `distance` rounds
/// otherwise than the search did.
template <class Distance>
void settle_tie(std::vector<Neighbour>& nearest, std::size_t points, Distance distance) {
  const double tied = nearest.back().distance;
  const auto first =
      std::partition(nearest.begin(), nearest.end(), [&](const Neighbour& n) { return n.distance < tied; });
  const std::vector<Neighbour> reported(first, nearest.end());
  auto free = first;
  const auto take = [&](std::size_t j) {
    if (free != nearest.end() && std::ranges::find(nearest.begin(), free, j, &Neighbour::index) == free)
      *free++ = {tied, j};
  };
  for (std::size_t j = 0; j < points && free != nearest.end(); ++j)
    if (distance(j) == tied) take(j);
  for (const Neighbour& neighbour : reported) take(neighbour.index);
}

}  // namespace lacp
