#pragma once

#include <algorithm>
#include <armadillo>
#include <cstdint>
#include <span>
#include <vector>

namespace lacp {

/// Places of rows in a table, in any order.
using TableRows = std::span<const std::uint32_t>;

/// These columns, a list of any type, of a matrix; where it has no rows, they need not be there.
template <class Number = double>
arma::Mat<Number> columns_of(const arma::mat& values, const auto& columns) {
  arma::Mat<Number> some(values.n_rows, std::size(columns));
  for (arma::uword i = 0; i < some.n_cols && values.n_rows > 0; ++i)
    std::transform(values.begin_col(columns[i]), values.end_col(columns[i]), some.begin_col(i),
                   [](double value) { return static_cast<Number>(value); });
  return some;
}

/// These places of a vector.
inline arma::vec values_of(const arma::vec& values, TableRows rows) {
  arma::vec some(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) some(i) = values(rows[i]);
  return some;
}

/// Numbers in memory that are `step` apart.
template <class T>
struct Strided {
  T* at;
  std::size_t step;
  T& operator[](std::size_t i) const { return at[i * step]; }
};

/// How many cuts lie below each of `count` numbers. Cuts are increasing, and there are at most 255.
void code_numbers(std::span<const double> cuts, Strided<const double> numbers, std::size_t count,
                  Strided<std::uint8_t> codes);

/// Attributes in bins: what is left of their values is which cuts they exceed.
struct BinnedAttributes {
  std::size_t rows = 0;
  std::vector<std::vector<double>> cuts;  ///< of each attribute, increasing; none if it is constant
  std::vector<std::uint8_t> codes;        ///< number of cuts below the value; attribute after attribute

  /// The same, row after row, for histograms: each as a place among the bins of all attributes. Where most
  /// codes are their attribute's most frequent one, as with categories, or where there are more than 2^16
  /// bins, only the others are here.
  std::vector<std::uint16_t> by_row;
  std::vector<std::uint8_t> frequent;  ///< of each attribute
  std::vector<std::uint32_t> others;
  std::vector<std::size_t> first_other;  ///< rows + 1; none: by_row holds all

  const std::uint8_t* of(std::size_t attribute) const { return codes.data() + attribute * rows; }
  bool sparse() const { return !first_other.empty(); }
};

/// At most `bins` ≤ 255 bins for each attribute, a row of X. Where an attribute has no more different values
/// than that among the table's rows `of`, a cut lies between any two; else the cuts are the quantiles j/bins
/// of these values. All columns of X are coded. The same on however many threads.
BinnedAttributes make_bins(const arma::mat& X, std::size_t bins, TableRows of, std::size_t jobs = 1);
BinnedAttributes make_bins(const arma::mat& X, std::size_t bins, std::size_t jobs = 1);  ///< of all rows

}  // namespace lacp
