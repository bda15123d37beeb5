#include "lacp/data/split.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

SplitSizes split_sizes(std::size_t n, const SplitOptions& options) {
  refuse("split", find_problem(options));
  const double rows = static_cast<double>(n);
  // The test part is rounded up and the rest divided, as common libraries do; a tiny amount is subtracted so
  // that an exact product such as 0.2 · 45730 is not rounded up by its last bit.
  const auto test = static_cast<std::size_t>(std::ceil(rows * options.test - 1e-9 * rows));
  const auto train = static_cast<std::size_t>(std::ceil(
      static_cast<double>(n - test) * options.train / (options.train + options.proper) - 1e-9 * rows));
  if (test == 0 || train == 0 || test + train >= n)
    user_error("{} cannot be split into parts of {}, {} and {}: each part needs a row", counted(n, "row"),
               options.proper, options.train, options.test);
  return {.proper = n - test - train, .train = train, .test = test};
}

Split split_rows(std::size_t n, const SplitOptions& options, Stream& stream) {
  const SplitSizes sizes = split_sizes(n, options);
  const std::vector<arma::uword> order = stream.permutation<arma::uword>(n);
  const auto test_end = order.begin() + static_cast<std::ptrdiff_t>(sizes.test);
  const auto train_end = test_end + static_cast<std::ptrdiff_t>(sizes.train);
  return {
      .proper = {train_end, order.end()}, .train = {test_end, train_end}, .test = {order.begin(), test_end}};
}

void join_first_parts(Split& split) {
  split.train.insert(split.train.end(), split.proper.begin(), split.proper.end());
  split.proper = split.train;
}

void keep_whole_batches(std::vector<arma::uword>& rows, std::size_t batch) {
  rows.resize(whole_batches(rows.size(), batch));
}

Repeats find_repeats(const arma::mat& X, const arma::vec& y) {
  constexpr std::size_t fewest_different = 100;
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
