#pragma once

#include <armadillo>
#include <vector>

#include "lacp/base/options.hpp"
#include "lacp/base/random.hpp"

namespace lacp {

/// Row numbers of each part (SplitOptions), in random order.
struct Split {
  std::vector<arma::uword> proper, train, test;
};

/// Both of the first two parts become the rows of either, for tasks that share them.
void join_first_parts(Split& split);

/// How many rows each part gets.
struct SplitSizes {
  std::size_t proper = 0, train = 0, test = 0;
};

/// Every part gets at least one of the n rows, or it is a UserError.
SplitSizes split_sizes(std::size_t n, const SplitOptions& options);

/// A random split of n rows. Every part gets at least one row, or it is a UserError.
Split split_rows(std::size_t n, const SplitOptions& options, Stream& stream);

/// How many of the rows make whole batches.
constexpr std::size_t whole_batches(std::size_t rows, std::size_t batch) { return rows / batch * batch; }

/// Shortens to a multiple of `batch` rows (the released code drops the last, partial batch of every part).
void keep_whole_batches(std::vector<arma::uword>& rows, std::size_t batch);

}  // namespace lacp
