#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/data/csv.hpp"

namespace lacp {

/// What a column seems to hold.
enum class GuessedKind { number, row_number, category, date, constant_text, long_text, empty };

/// What was seen in the cells of one column.
struct ColumnGuess {
  std::string name;
  std::size_t cells = 0, numbers = 0, dates = 0, dates_with_time = 0;
  std::size_t missing = 0;                   ///< cells with a mark
  std::map<std::string, std::size_t> marks;  ///< how often each
  std::map<std::string, std::size_t>
      texts;  ///< other cells that are no numbers, as long as they may be levels
  std::map<std::string, std::size_t> levels;  ///< all cells but missing ones, as long as they may be levels
  bool counts_rows = true;                    ///< each cell is one more than that above
  double last = 0;

  GuessedKind kind() const;
};

struct TableGuess {
  std::vector<ColumnGuess> columns;
  std::size_t rows = 0;
  std::vector<std::vector<bool>> gaps;  ///< of the rows with a mark: which columns have one
};

/// Looks at every cell. UserError if a row has too few or too many.
TableGuess guess_columns(const CsvSource& table);

}  // namespace lacp
