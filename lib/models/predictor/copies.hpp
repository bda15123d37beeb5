#pragma once

#include <armadillo>
#include <vector>

namespace lacp {

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
