#include "lacp/data/split.hpp"

#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

SplitSizes split_sizes(std::size_t n, const SplitOptions& options) {
  refuse("split", check_of(options));
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

}  // namespace lacp
