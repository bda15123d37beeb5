// What spreadsheets put around a table: titles above its header, totals and notes below its rows.
#pragma once

#include <deque>
#include <functional>
#include <set>

#include "table/csv.hpp"

namespace lacp {

/// The text with its first lines emptied, so that the numbers of the others stay.
std::string without_first_lines(std::string_view bytes, std::size_t lines);

/// The text without the last rows of the table.
std::string without_last_rows(std::string bytes, char delimiter, std::size_t rows);

/// How many rows the text has.
std::size_t count_rows(std::string_view bytes, char delimiter);

/// Whether a cell is a number, however it is written.
bool is_number(std::string_view cell);

/// How many of the first rows of a table are titles above its header: they are mostly empty, and the header,
/// which is not, has no number.
std::size_t count_titles(const std::vector<std::vector<std::string>>& rows);

/// Takes notes, which hold one cell at most, and totals off the end of a small table: they tell nothing of
/// its form, and may be cut short.
void drop_notes(std::vector<std::vector<std::string>>& rows);

/// Whether a cell says that its row sums up others: "Total", "Mittelwert".
bool says_total(std::string_view cell);

/// What stands below the rows of a table and is none of them: totals, and notes or empty rows below these.
struct TableEnd {
  std::size_t rows = 0;
  std::string why;  ///< "line 302 says 'Total' in column 'region'; line 304 is a note: ..."
  /// "left out at the end, 1 row: line 302 says ...".
  std::string text() const;
};

/// Sees the rows of a table pass, and tells at its end which of the last ones are none of its rows. A row is
/// a total if a cell says so and no other of its column does.
class LastRows {
 public:
  using OnRow = std::function<void(std::size_t line, const std::vector<std::string>& cells)>;

  /// `names`: columns in which a word such as "Total" is a name like any other. `on_row` is told each row of
  /// the table, once it is known to be one.
  explicit LastRows(std::vector<std::string> columns, std::vector<bool> names = {}, OnRow on_row = {});

  /// The next rows of it.
  void see(std::string_view records, std::size_t line, char delimiter);

  /// Whether the quotes of all rows so far are closed; of other tables nothing is left out.
  bool readable() const { return readable_; }

  /// After the last one. No more than `most` rows are left out.
  TableEnd finish(std::size_t most = static_cast<std::size_t>(-1));

 private:
  struct Row {
    std::size_t line = 0, last_line = 0;
    bool after_blank = false;  ///< an empty line stands above it
    std::vector<std::string> cells;
  };
  /// What the cells of a column hold in the rows that are not among the last.
  struct ColumnAbove {
    std::size_t cells = 0;
    bool numbers = true;         ///< all of them
    std::set<std::string> said;  ///< words such as "total"
  };

  void add(const Row& row);
  std::string why_total() const;
  std::string why_note() const;

  std::vector<std::string> columns_;
  std::vector<bool> names_;
  OnRow on_row_;
  bool readable_ = true;
  std::vector<ColumnAbove> above_;
  std::deque<Row> last_;  // which may be no rows of the table
  std::size_t rows_ = 0;
};

/// The same for a table in memory.
TableEnd find_end(const CsvSource& table);

}  // namespace lacp
