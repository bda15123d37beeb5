#pragma once

#include <armadillo>
#include <string>
#include <string_view>

#include "lacp/table/columns.hpp"

// Which cells of a row are missing, as a class that calibrates: TableToFit::by "missing".
namespace lacp {

constexpr std::string_view by_missing = "missing";

/// Whether `by` means missing cells: a column that is called so is that column.
bool names_gaps(const Columns& columns, std::string_view by);

/// How many numbers it takes to say which cells of a row are missing, in columns that fill them.
std::size_t gap_numbers(const Columns& columns);

/// These numbers for rows X as `encode` makes them: a bit for each such column.
arma::mat gaps_of(const Columns& columns, const arma::mat& X);

/// "nothing", "income", "income, age".
std::string gaps_text(const Columns& columns, const arma::vec& numbers);

}  // namespace lacp
