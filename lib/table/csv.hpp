#pragma once

#include <armadillo>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/base/error.hpp"
#include "lacp/base/options.hpp"

namespace lacp {

/// Turns each line that is no UTF-8 into it, taken for Windows-1252, of which Latin-1 is a part: older
/// spreadsheets write that. How many lines that were.
std::size_t to_utf8(std::string& bytes);

/// Walks over the cells of a table in memory. Knows quotes, blanks and line ends, and nothing about columns.
/// A record is read as: start_record(), then for each cell the cell itself and another_cell(), which steps
/// over the delimiter and says whether one was there.
class CsvCells {
 public:
  CsvCells(std::string_view bytes, std::size_t offset, std::size_t line, char delimiter,
           const std::string& source);

  /// Steps to the next record that is not blank, just before its first cell. False at the end of the table.
  bool start_record();
  /// The cell's text without quotes and surrounding blanks; steps to its end. Valid until the next call.
  std::string_view text();
  /// Steps to the end of the cell without looking at its content.
  void skip();
  /// If the cell is a finite number, stores it, steps to the cell's end and returns true. Otherwise stays.
  bool number(double& value);
  /// Steps over the delimiter. False (and stays at the record's end) if the record ends here.
  bool another_cell() {
    const char* next = after_blanks(here_);
    const bool more = !is_record_end(next);
    here_ = more && delimiter_ != ' ' ? after_blanks(next + 1) : next;
    return more;
  }

  char delimiter() const { return delimiter_; }
  std::size_t line() const { return line_; }
  std::size_t offset() const { return static_cast<std::size_t>(here_ - begin_); }

 private:
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && delimiter_ != '\t'); }
  const char* after_blanks(const char* p) const {
    while (p != end_ && is_blank(*p)) ++p;
    return p;
  }
  bool is_record_end(const char* p) const {
    return p == end_ || *p == '\n' || (*p == '\r' && (p + 1 == end_ || p[1] == '\n'));
  }
  bool is_cell_end(const char* p) const { return p == end_ || *p == delimiter_ || is_record_end(p); }
  std::string_view without_blanks(std::string_view cell) const;
  void skip_unquoted();
  std::string_view quoted();

  const char* begin_;
  const char* here_;
  const char* end_;
  std::size_t line_;
  char delimiter_;
  const std::string& source_;
  std::string buffer_;  ///< a quoted cell with its doubled quotes made single
};

/// A finite number read from the whole text, with an optional plus sign.
std::optional<double> parse_number(std::string_view text);

/// What to do about a header or a row that is a comment; "" if it is none.
std::string comment_hint(std::string_view text);

/// Whether the cell says that there is no value: empty, NA, n/a, nan, null, ?, an error of a spreadsheet as
/// #DIV/0! and, where there are no levels that may be called so, #N/A, - and a point.
bool is_missing_mark(std::string_view cell, bool of_levels = false);

/// Stands in a table for a formula of a spreadsheet whose result is not stored. No column reads it.
constexpr std::string_view no_result = "#NO RESULT";

/// The columns of a table and where its numbers begin.
struct CsvHeader {
  std::vector<std::string> names;
  std::size_t offset = 0;                 ///< of the first record after the header, in bytes
  std::size_t line = 1;                   ///< of that record
  std::vector<std::string> renamed = {};  ///< names that occur again: the second "x" is "x (2)"
};

/// The numbers of the kept columns: one row each, and one column per record.
struct CsvTable {
  std::vector<std::string> names;
  arma::mat values;
};

/// Reads the names of the columns. Where each row begins with a name of its own and the header has none for
/// these, as R writes tables, they are in column c1. `source` names the file in messages. UserError for what
/// is no csv, a name that is given twice or a number that is twice a name, names that do not fit, or more
/// than 100,000 columns.
CsvHeader read_csv_header(std::string_view bytes, const std::string& source, const CsvFormat& format);

/// A column of a table that a program has: numbers, NaN for no value, or texts in UTF-8, "" for no value.
/// Dates are numbers: seconds since 1970 began.
struct MemoryColumn {
  const char* numbers = nullptr;  ///< doubles, with `stride` bytes from one to the next
  std::ptrdiff_t stride = 0;
  const char* texts = nullptr;         ///< one after the other
  const std::int64_t* ends = nullptr;  ///< where the first begins, and where each of them ends

  double number(std::size_t row) const;  ///< NaN of a text
  std::string_view text(std::size_t row) const;
};

/// Its columns, in the order of the header, and rows, of which messages say how many are before them.
struct MemoryTable {
  std::vector<MemoryColumn> columns;
  std::size_t rows = 0;
};

/// A table in memory, or a part of one that begins and ends with a record: where the header says.
struct CsvSource {
  std::string_view bytes;
  const std::string& name;  ///< of the file, for messages
  const CsvFormat& format;
  const CsvHeader& header;
  const MemoryTable* memory = nullptr;  ///< in place of its records; header.line is the number of the first
};

/// "t.csv:3" and "t.csv:3: column 2 'b'", where a message about a row or a cell begins. With rows of a
/// program, which number them from 0, "row 1: column 'b'".
std::string place_of(const CsvSource& table, std::size_t line);
std::string place_of(const CsvSource& table, std::size_t line, std::size_t column);

/// Where the table has the column that `option` names: "--group 'patient'". UserError if it has none.
std::size_t column_named(const CsvSource& table, const std::string& name, std::string_view option);

/// Every cell of the rows that begin on these lines, which are in order: the number of the row among them, of
/// the column, and its text.
using CellUser = std::function<void(std::size_t row, std::size_t column, std::string_view text)>;
void each_cell(const CsvSource& table, const std::vector<std::size_t>& lines, const CellUser& use);

/// The texts of a column, or of several, in these rows.
std::vector<std::string> read_column(const CsvSource& table, std::size_t column,
                                     const std::vector<std::size_t>& lines);
std::vector<std::vector<std::string>> read_texts(const CsvSource& table,
                                                 const std::vector<std::size_t>& columns,
                                                 const std::vector<std::size_t>& lines);

/// The finite number that a cell holds. UserError if it holds none.
double read_number(const CsvSource& table, std::string_view cell, std::size_t column, std::size_t line);

/// A row that cannot be read, and why.
struct BadRow {
  std::size_t line = 0;
  std::string reason;
  Fault fault = {};
};

/// How the cells of a column are read.
enum class CellUse : char {
  skip,
  number,  ///< straight from the bytes; what is no finite number goes to the CellReader
  text,    ///< all of them go there
};

/// The number that stands for a cell, given its text, column and line; none if its row is to be left out.
using CellReader =
    std::function<std::optional<double>(std::string_view cell, std::size_t column, std::size_t line)>;

/// Reads the records below a header, in one pass and straight into the result, with one of these for each
/// column; those read are kept. `lines` gets the line of each row, if asked for. UserError for a record with
/// more or fewer cells than the header, which is left out and goes to `bad_rows` instead if these are given.
/// Memory is at most 8 bytes per byte of input.
CsvTable read_csv(const CsvSource& table, const std::vector<CellUse>& use, const CellReader& reader,
                  std::vector<std::size_t>* lines = nullptr, std::vector<BadRow>* bad_rows = nullptr);

/// All columns, which have to be finite numbers: UserError, with file, line, column and cell, otherwise.
CsvTable read_csv(std::string_view bytes, const std::string& source, const CsvFormat& format = {});

/// A field of a csv as every reader takes it for one: in quotes if it needs them.
std::string csv_quoted(const std::string& field);

}  // namespace lacp
