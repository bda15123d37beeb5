#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lacp {

/// Cells that hold nothing where that is refused. Read as NaN when the caller asks for a count of them.
struct CsvMissing {
  std::size_t cells = 0;
  std::string first;  ///< the message about the first one
};

/// Walks over the cells of a table in memory. Knows quotes, blanks and line ends, and nothing about numbers.
///
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

/// Why a cell cannot be read as a finite number, and what to do about it: "found '1,5'; expected a number;
/// ...".
std::string what_is_wrong(std::string_view cell);

/// What to do about a header or a row that is a comment; "" if it is none.
std::string comment_hint(std::string_view text);

/// Whether the cell says that there is no value: empty, NA, n/a, nan, null, ? and, where there are no
/// levels that may be called so, #N/A, - and a point.
bool is_missing_mark(std::string_view cell, bool of_levels = false);

/// What to do about a cell that is no number: "correct the cell, or, if it means …".
std::string or_missing(std::string_view cell);

}  // namespace lacp
