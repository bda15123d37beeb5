#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/table/csv.hpp"
#include "lacp/table/notation.hpp"

namespace lacp {

CsvCells::CsvCells(std::string_view bytes, std::size_t offset, std::size_t line, char delimiter,
                   const std::string& source)
    : begin_(bytes.data()),
      here_(bytes.data() + offset),
      end_(bytes.data() + bytes.size()),
      line_(line),
      delimiter_(delimiter),
      source_(source) {}

bool CsvCells::start_record() {
  for (;; ++here_, ++line_) {
    here_ = after_blanks(here_);
    if (!is_record_end(here_)) return true;
    if (here_ != end_ && *here_ == '\r') ++here_;
    if (here_ == end_) return false;
  }
}

void CsvCells::skip_unquoted() {
  while (here_ != end_ && *here_ != delimiter_ && *here_ != '\n' && !(delimiter_ == ' ' && *here_ == '\t'))
    ++here_;
  if (here_ != begin_ && (here_ == end_ || *here_ == '\n') && here_[-1] == '\r') --here_;
}

void CsvCells::skip() {
  if (here_ != end_ && *here_ == '"')
    quoted();
  else
    skip_unquoted();
}

std::string_view CsvCells::without_blanks(std::string_view cell) const {
  while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
  return cell;
}

std::string_view CsvCells::text() {
  if (here_ != end_ && *here_ == '"') return quoted();
  const char* first = here_;
  skip_unquoted();
  return without_blanks({first, here_});
}

std::string_view CsvCells::quoted() {
  const std::size_t opened = line_;
  const char* first = ++here_;
  for (;;) {
    const char* quote = std::find(here_, end_, '"');
    if (quote == end_)
      user_error("{}:{}: the quoted cell that begins with {} never ends; expected a closing \"", source_,
                 opened, show_text({first, end_}));
    line_ += static_cast<std::size_t>(std::count(here_, quote, '\n'));
    here_ = quote + 1;
    if (here_ == end_ || *here_ != '"') break;
    ++here_;  // a doubled one
  }
  std::string_view content(first, here_ - 1);
  const char* next = after_blanks(here_);
  if (!is_cell_end(next) && !(delimiter_ == ' ' && next != here_))
    user_error(
        "{}:{}: there is text after the closing quote of the cell {}; expected the delimiter {} or the line's end",
        source_, line_, show_text(content), show_text({&delimiter_, 1}));
  if (delimiter_ != ' ') here_ = next;
  if (content.find('"') != std::string_view::npos) {
    buffer_.clear();
    for (std::size_t i = 0; i < content.size(); ++i) {
      buffer_ += content[i];
      if (content[i] == '"') ++i;
    }
    content = buffer_;
  }
  return without_blanks(content);
}

bool CsvCells::number(double& value) {
  const auto [stop, error] = std::from_chars(here_, end_, value);
  if (error != std::errc{} || !std::isfinite(value)) return false;
  const char* next = delimiter_ == ' ' ? stop : after_blanks(stop);
  if (!is_cell_end(next) && !(delimiter_ == ' ' && *next == '\t')) return false;
  here_ = next;
  return true;
}

namespace {

std::string_view without_plus(std::string_view text) {
  return text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
}

constexpr std::string_view if_missing =
    "correct the cell, or say under 'missing' in the description what to do about such cells";

/// What to do about a cell that is no number as programs write them.
std::string advice(std::string_view cell) {
  if (cell.starts_with('#')) return "comments are not read: take such lines out of the file";
  const auto point = read_written(cell, {.decimal = '.'}), comma = read_written(cell, {.decimal = ','});
  if (point && comma && *point != *comma)
    return fmt::format("say `format: {{decimal: point}}` if it means {}, comma if it means {}", *point,
                       *comma);
  if (point || comma)
    return fmt::format("say `format: {{decimal: {}}}`, or write {}", point ? "point" : "comma",
                       point ? *point : *comma);
  if (is_missing_mark(cell)) return std::string(if_missing);
  const auto first = static_cast<unsigned char>(cell.front());
  const bool is_text = std::isalpha(first) != 0 || first >= 0x80;
  return fmt::format(
      "{}{}", or_missing(cell),
      is_text ? "; a column of text is named under columns.categories, ordered, means, dates or drop" : "");
}

/// Why a cell is no finite number, and what to do about it: "found '1,5'; expected a number; ...".
std::string what_is_wrong(std::string_view cell) {
  if (cell.empty()) return fmt::format("the cell is empty; expected a number; {}", if_missing);
  const std::string_view text = without_plus(cell);
  const char* end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || (error != std::errc{} && error != std::errc::result_out_of_range))
    return fmt::format("found {}; expected a number; {}", show_text(cell), advice(cell));
  return fmt::format("found {}; expected a {}; correct the cell, or leave the row or the column out",
                     show_text(cell),
                     error == std::errc{} ? "finite number" : "number within the range of a double");
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  const std::optional<double> value = parse_double(without_plus(text));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string comment_hint(std::string_view text) {
  return text.starts_with('#') ? "; comments are not read: take lines with # out of the file" : "";
}

bool is_missing_mark(std::string_view cell, bool of_levels) {
  constexpr std::array<std::string_view, 9> marks{"", "na", "n/a", "nan", "null", "?", "#n/a", "-", "."};
  const auto* found = cell.size() > 4 ? marks.end() : std::ranges::find(marks, lower_case(cell));
  return found < (of_levels ? marks.begin() + 6 : marks.end());
}

std::string or_missing(std::string_view cell) {
  return fmt::format(
      "correct the cell, or, if it means that nothing is known, say so: missing.marks in a description, `--missing {}` with `lacp fit`",
      show_text(cell));
}

double read_number(const CsvSource& table, std::string_view cell, std::size_t column, std::size_t line) {
  if (const std::optional<double> value = parse_number(cell)) return *value;
  user_error("{}: {}{}", place_of(table, line, column), what_is_wrong(cell),
             comment_hint(table.header.names[0]));
}

}  // namespace lacp
