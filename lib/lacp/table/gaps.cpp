#include "lacp/table/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace lacp {
namespace {

constexpr std::size_t bits = 48;  // of a number, which holds them exactly

/// A column that may have missing cells, and the first of its attributes: a missing cell is NaN in all.
struct GapColumn {
  const Column* column;
  arma::uword attribute;
};

std::vector<GapColumn> gap_columns(const Columns& columns) {
  std::vector<GapColumn> found;
  arma::uword next = 0;
  for (const Column& column : columns.attributes) {
    const arma::uword first = std::exchange(next, next + attribute_count(column));
    if (column.if_missing == IfMissing::fill && next > first) found.push_back({&column, first});
  }
  return found;
}

}  // namespace

bool names_gaps(const Columns& columns, std::string_view by) {
  return by == by_missing &&
         std::ranges::find(columns.attributes, by, &Column::name) == columns.attributes.end();
}

std::size_t gap_numbers(const Columns& columns) { return (gap_columns(columns).size() + bits - 1) / bits; }

arma::mat gaps_of(const Columns& columns, const arma::mat& X) {
  const std::vector<GapColumn> may_miss = gap_columns(columns);
  arma::mat numbers(gap_numbers(columns), X.n_cols, arma::fill::zeros);
  for (arma::uword n = 0; n < X.n_cols; ++n)
    for (std::size_t i = 0; i < may_miss.size(); ++i)
      if (std::isnan(X(may_miss[i].attribute, n)))
        numbers(i / bits, n) += static_cast<double>(std::uint64_t{1} << i % bits);
  return numbers;
}

std::string gaps_text(const Columns& columns, const arma::vec& numbers) {
  const std::vector<GapColumn> may_miss = gap_columns(columns);
  std::string text;
  for (std::size_t i = 0; i < may_miss.size(); ++i) {
    const auto number = static_cast<std::uint64_t>(std::llround(numbers(i / bits)));
    if ((number >> i % bits & 1) == 0) continue;
    if (!text.empty()) text += ", ";
    text += may_miss[i].column->name;
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace lacp
