// What spreadsheets put around a table: titles above its header, and totals below its rows.
#pragma once

#include "lacp/table/csv.hpp"

namespace lacp {

/// The text with its first lines emptied, so that the numbers of the others stay.
std::string without_first_lines(std::string_view bytes, std::size_t lines);

/// The text without the last rows of the table.
std::string without_last_rows(std::string bytes, char delimiter, std::size_t rows);

/// Whether a cell is a number, however it is written.
bool is_number(std::string_view cell);

/// How many of the first rows of a table are titles above its header: they are mostly empty, and the header,
/// which is not, has no number.
std::size_t count_titles(const std::vector<std::vector<std::string>>& rows);

/// Rows at the end of a table that sum up the others.
struct Totals {
  std::size_t rows = 0;
  std::string why;  ///< "line 302 says 'Total' in column 'region'"
};
/// A cell says so, which no other of its column does, or a number is the sum of those above it.
Totals find_totals(const CsvSource& table);

}  // namespace lacp
