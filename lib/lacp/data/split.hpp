#pragma once

#include <armadillo>
#include <vector>

#include "lacp/base/random.hpp"
#include "lacp/data/options.hpp"

namespace lacp {

/// Row numbers of each part, in random order.
struct Split {
  std::vector<arma::uword> proper, train, test;
};

/// A random split of n rows. Every part gets at least one row, or it is a UserError.
Split split_rows(std::size_t n, const SplitOptions& options, Stream& stream);

/// Shortens to a multiple of `batch` rows (the released code drops the last, partial batch of every part).
void keep_whole_batches(std::vector<arma::uword>& rows, std::size_t batch);

}  // namespace lacp
