// How a table that nobody has described is looked at: what its cells are, and what its columns seem to be.
// For draft.cpp alone.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "table/csv.hpp"
#include "tool/draft/draft.hpp"

namespace lacp {

using Counts = std::map<std::string, std::size_t>;

/// The least and the largest number of a column, those next to them, and how often the two occur.
struct NumberEnds {
  double least = std::numeric_limits<double>::infinity(), above_least = least;
  double most = -least, below_most = most;
  std::size_t of_least = 0, of_most = 0;

  void add(double number);
  /// One that occurs several times and lies far from all others, as -999 does; none if there is none.
  std::optional<double> far() const;
};

/// Texts that mean that nothing is known; numbers among them are compared as numbers.
struct MissingMarks {
  const std::vector<std::string>& texts;
  /// The mark that a cell is, or none.
  const std::string* find(std::string_view cell) const;
};

/// What was seen in the cells of one column.
struct ColumnScan {
  std::size_t cells = 0, missing = 0;
  std::set<std::string> marks;  ///< that say that a cell is missing
  Counts values;                ///< all known cells, as long as few differ
  NotationGuess numbers;
  NumberEnds ends;
  /// Cells that are no numbers, as long as few differ: dates, numbers with something around them that
  /// is no unit or limit of the column, and others.
  Counts date_texts, measured, texts;
  /// Lines of the first of these, of the first number with something around it, and of the first no date.
  std::size_t first_text = 0, first_measured = 0, first_no_date = 0;
  std::size_t formula = 0;             ///< the line of the first that has no result
  std::array<std::size_t, 3> dates{};  ///< texts that are dates in each order
  std::size_t any_date = 0, times = 0;
  bool all_midnight = true;           ///< of those with a time
  std::size_t without_day = 0;        ///< dates that are a month or a quarter
  std::array<std::string, 2> only{};  ///< the first text that is a date with the day first alone, the month
  std::string either = {};            ///< the first that is a different date with each
  bool is_id = false;                 ///< going by its name, or by its having none
  bool counts_rows = true, whole = true;
  bool digits = true, padded = false;   ///< all cells are digits alone; one begins with a needless zero
  std::array<std::size_t, 3> listed{};  ///< texts that hold each of list_separators
  std::vector<std::size_t> hashes;      ///< of texts, and of all cells if it may be an id or codes
  std::string example;                  ///< the first known cell

  std::size_t known() const { return cells - missing; }
  std::size_t different() const;
  /// Nearly all cells are so, or most are and there are too many different ones for a category.
  bool mostly(std::size_t count) const {
    return count > 0 && (10 * count >= 9 * known() || (2 * count > known() && values.size() > most_values));
  }
  bool mostly_numbers() const { return mostly(numbers.numbers); }
  /// Digits that are names, as the postcode 01067.
  bool codes() const { return digits && padded; }
  /// What makes it no attribute, whatever its cells are; none if nothing does.
  std::optional<Unused> why_unused() const;
};

/// All cells of a table, column by column.
std::vector<ColumnScan> look_at_all(const CsvSource& table, const DraftOptions& options);

/// What may stand between the members of a cell such as "bus; car".
constexpr std::array<char, 3> list_separators{';', '|', ','};

/// The columns whose cells are lists, each with what stands between their members; 0 for all others.
std::vector<char> find_lists(const CsvSource& table, const std::vector<ColumnScan>& seen);

/// A line of a description, and why it says so.
struct DraftLine {
  std::string yaml, why = {};
  bool guessed = true;
  /// "  decimal: comma  # guess: as in '1,5'".
  std::string text() const;
};

/// What a column seems to be.
struct ColumnGuess {
  Column column;                            ///< its values, if it is a category, are not learnt yet
  std::optional<UnusedColumn> unused = {};  ///< none: it is an attribute, or the target
  std::string why = {};                     ///< what was seen; "" of numbers as all others of the table
  std::size_t missing = 0;                  ///< cells
  std::set<std::string> marks = {};         ///< that say so
};

struct TableGuess {
  std::vector<ColumnGuess> columns;
  std::size_t target = 0;
  bool two_values = false;        ///< has the target
  std::vector<DraftLine> format;  ///< about decimal marks and dates
  std::size_t rows = 0;
  std::set<std::string> marks;  ///< of missing cells in columns that are used, and those that were named
  std::vector<std::string> hints = {};  ///< what cells may mean besides, a sentence each

  const ColumnGuess& of_target() const { return columns[target]; }
  Columns used() const;  ///< for a fit
};

/// The decimal mark of the table: what its columns of numbers demand, each with one voice; 0: all are plain.
char decide_decimal(const std::vector<ColumnScan>& seen, const DraftOptions& options, char delimiter,
                    TableGuess& guess);

/// The order of dates that more texts demand.
DateOrder decide_dates(const std::vector<ColumnScan>& seen, const DraftOptions& options, TableGuess& guess);

/// Decides what each column is, from all of its cells. UserError as draft_description.
TableGuess guess_table(const CsvSource& table, const DraftOptions& options);

inline bool is_named(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

// What a guess refuses, as UserErrors, and what it remarks: guess_words.cpp.

/// Cells that are not what nearly all others of their column are.
[[noreturn]] void refuse_texts(const ColumnScan& seen, const CsvSource& table, std::size_t column,
                               bool target, std::string_view what);

/// A number of kilograms is not one of pounds, and one without a unit may be of any.
void refuse_mixed_units(const ColumnScan& seen, const CsvSource& table, std::size_t column,
                        const DraftOptions& options);

/// A formula of a spreadsheet whose result is not stored.
void refuse_formulas(const ColumnScan& seen, const CsvSource& table, std::size_t column);

/// Texts over columns of numbers, in the first row alone: units or more names.
void refuse_second_header(const std::vector<ColumnScan>& seen, const CsvSource& table);

/// What cells may mean, besides what they were taken for.
void add_hints(const ColumnGuess& of_column, const ColumnScan& seen, bool is_target,
               const DraftOptions& options, TableGuess& guess);

/// No more lines than a person reads, and one about marks that no cell has.
void add_hints_of_all(const std::vector<ColumnScan>& seen, const DraftOptions& options, TableGuess& guess);

}  // namespace lacp
