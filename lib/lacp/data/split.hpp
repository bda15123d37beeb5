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

/// Rows that occur more than once, attributes and target alike.
struct Repeats {
  std::vector<arma::uword> copies;  ///< the rows that are equal to an earlier one, in order
  std::size_t times = 1;            ///< how often each different row occurs; 0: some more often than others
};

/// Of the columns of X (d × n), with their targets. NaN is equal to NaN.
Repeats find_repeats(const arma::mat& X, const arma::vec& y);

/// What a fit does with rows that are equal to an earlier one. Rows of few values repeat each other, and new
/// rows repeat them as often: they must be kept, or what is frequent would count as little as what is rare.
/// Copies of one observation must be dropped: new rows do not repeat them, and one that calibrates would have
/// been learnt from. No table tells the two apart, but for one that holds every row equally often.
enum class Copies {
  by_itself,  ///< drops them where each different row occurs equally often, at least twice; else keeps them
  keep,
  drop,
};

/// The rows that a fit leaves out.
std::vector<arma::uword> dropped_copies(Repeats repeats, Copies copies);

}  // namespace lacp
