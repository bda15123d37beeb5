#include "lacp/data/split.hpp"

#include <cmath>

#include "lacp/base/error.hpp"

namespace lacp {

Split split_rows(std::size_t n, const SplitOptions& options, Stream& stream) {
  refuse("split", find_problem(options));
  const double rows = static_cast<double>(n);
  // The test part is rounded up and the rest divided, as common libraries do; a hair is taken off so that an
  // exact product such as 0.2 · 45730 is not rounded up by its last bit.
  const auto test = static_cast<std::size_t>(std::ceil(rows * options.test - 1e-9 * rows));
  const auto train = static_cast<std::size_t>(std::ceil(
      static_cast<double>(n - test) * options.train / (options.train + options.proper) - 1e-9 * rows));
  if (test == 0 || train == 0 || test + train >= n)
    user_error("{} rows cannot be split into parts of {}, {} and {}: each part needs a row", n,
               options.proper, options.train, options.test);
  const std::vector<arma::uword> order = stream.permutation<arma::uword>(n);
  const auto test_end = order.begin() + static_cast<std::ptrdiff_t>(test);
  const auto train_end = test_end + static_cast<std::ptrdiff_t>(train);
  return {
      .proper = {train_end, order.end()}, .train = {test_end, train_end}, .test = {order.begin(), test_end}};
}

void keep_whole_batches(std::vector<arma::uword>& rows, std::size_t batch) {
  rows.resize(rows.size() / batch * batch);
}

}  // namespace lacp
