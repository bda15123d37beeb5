#include "models/predictor/copies.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lacp {

Repeats find_repeats(const arma::mat& X, const arma::vec& y) {
  // Bytes, not numbers, are compared: that is an order even when cells are NaN. Rows are sorted by a number
  // made of all their bytes first, which few that differ share.
  const auto compare = [&](arma::uword a, arma::uword b) {
    const int attributes = std::memcmp(X.colptr(a), X.colptr(b), X.n_rows * sizeof(double));
    return attributes != 0 ? attributes : std::memcmp(&y[a], &y[b], sizeof(double));
  };
  std::vector<std::pair<std::uint64_t, arma::uword>> order(y.n_elem);
  for (arma::uword n = 0; n < y.n_elem; ++n) {
    std::uint64_t mixed = std::bit_cast<std::uint64_t>(y[n]);
    for (arma::uword i = 0; i < X.n_rows; ++i)
      mixed = (std::rotl(mixed, 29) ^ std::bit_cast<std::uint64_t>(X(i, n))) * 0x9e3779b97f4a7c15u;
    order[n] = {mixed, n};
  }
  std::ranges::sort(order, [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const int found = compare(a.second, b.second);
    return found != 0 ? found < 0 : a.second < b.second;
  });
  Repeats repeats;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    for (end = begin + 1; end < order.size() && order[begin].first == order[end].first &&
                          compare(order[begin].second, order[end].second) == 0;
         ++end)
      repeats.copies.push_back(order[end].second);
    if (begin == 0) repeats.times = end;
    if (repeats.times != end - begin) repeats.times = 0;
  }
  std::ranges::sort(repeats.copies);
  return repeats;
}

std::vector<arma::uword> dropped_copies(Repeats repeats, Copies copies) {
  const bool drop = copies == Copies::drop || (copies == Copies::by_itself && repeats.times > 1);
  return drop ? std::move(repeats.copies) : std::vector<arma::uword>();
}

}  // namespace lacp
