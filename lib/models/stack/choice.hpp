#pragma once

#include <armadillo>
#include <vector>

#include "lacp/base/groups.hpp"

namespace lacp {

/// Which of several candidates to use, by their losses on rows that none of them has seen: a vector for each,
/// with the loss of every row, or of every group of rows that belong together. The first, the default, unless
/// another's mean loss is smaller by more than the standard error of the difference; of these the one with
/// the least. It stays, too, where there are fewer than two losses to compare.
std::size_t choose(const std::vector<arma::vec>& losses);

/// Such a vector: the losses of rows as they are or, with the groups of these rows, their sums over groups.
arma::vec by_group(const std::vector<double>& losses, const Groups& groups);

}  // namespace lacp
