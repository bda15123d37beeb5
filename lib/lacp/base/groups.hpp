#pragma once

#include <armadillo>
#include <vector>

#include "lacp/base/random.hpp"

namespace lacp {

/// The number of each row's group; those of a group follow one another. Empty: each row is one of its own.
using Groups = std::vector<std::size_t>;

/// Those of some rows.
template <class Rows>
Groups groups_of(const Rows& rows, const Groups& groups) {
  Groups some;
  for (const auto row : rows)
    if (!groups.empty()) some.push_back(groups[row]);
  return some;
}

/// Where each group of n rows begins, and the end.
std::vector<std::size_t> group_starts(std::size_t n, const Groups& groups);

/// The rows cut into runs of whole groups, of about as many groups each: where they begin, and the end. Some
/// are empty, the last never, where there are fewer groups than runs.
std::vector<std::size_t> run_starts(std::size_t n, std::size_t runs, const Groups& groups);

/// n rows in random order, those of a group together.
std::vector<std::size_t> shuffled_rows(std::size_t n, const Groups& groups, Stream& stream);

/// The same in two parts that have no group in common. The first has `most` rows; of groups, as many as do
/// not make it larger, but at least one. UserError if there is one group alone.
struct TwoParts {
  std::vector<arma::uword> first, second;
};
TwoParts divide_rows(std::size_t n, std::size_t most, const Groups& groups, Stream& stream);

}  // namespace lacp
