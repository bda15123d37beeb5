#include "lacp/table/csv_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
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
  for (;;) {
    here_ = after_blanks(here_);
    if (here_ == end_) return false;
    if (!is_record_end(here_)) return true;
    here_ += *here_ == '\r' ? 1 : 0;
    if (here_ == end_) return false;
    ++here_, ++line_;
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

std::string_view CsvCells::text() {
  if (here_ != end_ && *here_ == '"') return quoted();
  const char* first = here_;
  skip_unquoted();
  const char* last = here_;
  while (last != first && is_blank(last[-1])) --last;
  return {first, static_cast<std::size_t>(last - first)};
}

std::string_view CsvCells::quoted() {
  const std::size_t opened = line_;
  const char* first = ++here_;
  bool doubled = false;
  for (;;) {
    const auto* quote =
        static_cast<const char*>(std::memchr(here_, '"', static_cast<std::size_t>(end_ - here_)));
    if (quote == nullptr)
      user_error("{}:{}: the quoted cell that begins with {} never ends; expected a closing \"", source_,
                 opened, show_text({first, static_cast<std::size_t>(end_ - first)}));
    line_ += static_cast<std::size_t>(std::count(here_, quote, '\n'));
    here_ = quote + 1;
    if (here_ == end_ || *here_ != '"') break;
    doubled = true;
    ++here_;
  }
  std::string_view content(first, static_cast<std::size_t>(here_ - 1 - first));
  const char* next = after_blanks(here_);
  if (!is_cell_end(next) && !(delimiter_ == ' ' && next != here_))
    user_error(
        "{}:{}: there is text after the closing quote of the cell {}; expected the delimiter {} or the line's end",
        source_, line_, show_text(content), show_text({&delimiter_, 1}));
  if (delimiter_ != ' ') here_ = next;
  if (doubled) {
    buffer_.clear();
    for (std::size_t i = 0; i < content.size(); ++i) {
      buffer_ += content[i];
      if (content[i] == '"') ++i;
    }
    content = buffer_;
  }
  while (!content.empty() && is_blank(content.front())) content.remove_prefix(1);
  while (!content.empty() && is_blank(content.back())) content.remove_suffix(1);
  return content;
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

constexpr std::string_view usual = "correct the cell, or leave the row or the column out";
constexpr std::string_view if_missing =
    "correct the cell, or say under 'missing' in the description what to do about such cells";

/// Numbers as spreadsheets write them: how to have them read.
std::string notation_advice(std::string_view cell) {
  const auto point = read_written(cell, {.decimal = '.'}), comma = read_written(cell, {.decimal = ','});
  if (point && comma && *point != *comma)
    return fmt::format("say `format: {{decimal: point}}` if it means {}, comma if it means {}", *point,
                       *comma);
  return fmt::format("say `format: {{decimal: {}}}`, or write {}", point ? "point" : "comma",
                     point ? *point : *comma);
}

std::string advice(std::string_view cell) {
  if (cell.starts_with('#')) return "comments are not read: take such lines out of the file";
  if (read_written(cell, {.decimal = '.'}) || read_written(cell, {.decimal = ','}))
    return notation_advice(cell);
  const auto first = static_cast<unsigned char>(cell.empty() ? '?' : cell.front());
  if (is_missing_mark(cell)) return std::string(if_missing);
  if (std::isalpha(first) != 0 || first >= 0x80)
    return or_missing(cell) +
           "; a column of text is named under columns.categories, ordered, means, dates or drop";
  return or_missing(cell);
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
  const std::string lower = lower_case(cell.substr(0, 5));
  return lower.empty() || lower == "na" || lower == "n/a" || lower == "nan" || lower == "null" ||
         lower == "?" || (!of_levels && (lower == "#n/a" || lower == "-" || lower == "."));
}

std::string or_missing(std::string_view cell) {
  return fmt::format(
      "correct the cell, or, if it means that nothing is known, say so: missing.marks in a description, `--missing {}` with `lacp fit`",
      show_text(cell));
}

std::string what_is_wrong(std::string_view cell) {
  const std::string_view text = without_plus(cell);
  const char* end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (cell.empty()) return fmt::format("the cell is empty; expected a number; {}", if_missing);
  if (stop == end && error == std::errc::result_out_of_range)
    return fmt::format("found {}; expected a number within the range of a double; {}", show_text(cell),
                       usual);
  if (stop == end && error == std::errc{})
    return fmt::format("found {}; expected a finite number; {}", show_text(cell), usual);
  return fmt::format("found {}; expected a number; {}", show_text(cell), advice(cell));
}

}  // namespace lacp
