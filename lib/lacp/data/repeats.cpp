#include "lacp/data/repeats.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace lacp {
namespace {

constexpr std::size_t fewest_different = 100;

}  // namespace

Repeats find_repeats(const arma::mat& X, const arma::vec& y) {
  // Bytes, not numbers, are compared: that is an order even when cells are NaN.
  const auto attributes = [&](arma::uword a, arma::uword b) {
    return std::memcmp(X.colptr(a), X.colptr(b), X.n_rows * sizeof(double));
  };
  const auto target = [&](arma::uword a, arma::uword b) { return std::memcmp(&y[a], &y[b], sizeof(double)); };
  std::vector<arma::uword> order(y.n_elem);
  std::iota(order.begin(), order.end(), arma::uword{0});
  std::ranges::sort(order, [&](arma::uword a, arma::uword b) {
    const int first = attributes(a, b), second = first != 0 ? first : target(a, b);
    return second != 0 ? second < 0 : a < b;
  });
  Repeats repeats;
  std::size_t again = 0, with_others = 0;  // attributes that occur again; those of them with other targets
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    bool others = false;
    for (end = begin + 1; end < order.size() && attributes(order[begin], order[end]) == 0; ++end)
      if (target(order[end - 1], order[end]) == 0)
        repeats.copies.push_back(order[end]);
      else
        others = true;
    again += end - begin > 1 ? 1 : 0, with_others += others ? 1 : 0;
  }
  std::ranges::sort(repeats.copies);
  repeats.by_chance = order.size() - repeats.copies.size() < fewest_different || 2 * with_others >= again;
  if (repeats.copies.empty()) repeats.by_chance = false;
  return repeats;
}

}  // namespace lacp
