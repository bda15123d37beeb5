#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "table/csv.hpp"
#include "table/notation.hpp"

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
      user_error("{}:{}: the quoted cell that begins with {} never ends", source_, opened,
                 show_text({first, end_}));
    line_ += static_cast<std::size_t>(std::count(here_, quote, '\n'));
    here_ = quote + 1;
    if (here_ == end_ || *here_ != '"') break;
    ++here_;  // a doubled one
  }
  std::string_view content(first, here_ - 1);
  const char* next = after_blanks(here_);
  if (!is_cell_end(next) && !(delimiter_ == ' ' && next != here_))
    user_error("{}:{}: there is text after the closing quote of the cell {}", source_, line_,
               show_text(content));
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

/// What a cell is that is no number as programs write them.
Fault fault_of(std::string_view cell, std::size_t line) {
  if (is_missing_mark(cell)) return {FaultKind::missing_cell, {}, line};
  const auto point = read_written(cell, {.decimal = '.'}), comma = read_written(cell, {.decimal = ','});
  const auto text_of = [](const auto& number) { return number ? fmt::format("{}", *number) : std::string(); };
  if (point && comma && *point == *comma) return {FaultKind::decimal_mark, {text_of(point), ""}, line};
  if (point || comma) return {FaultKind::decimal_mark, {text_of(point), text_of(comma)}, line};
  const auto first = static_cast<unsigned char>(cell.front());
  const bool is_text = std::isalpha(first) != 0 || first >= 0x80;
  return {is_text ? FaultKind::text : FaultKind::no_number, {std::string(cell)}, line};
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
  constexpr std::size_t longest = 7, beyond_levels = 3;
  constexpr auto marks =
      std::to_array<std::string_view>({"", "na", "n/a", "nan", "null", "?", "#div/0!", "#value!", "#ref!",
                                       "#num!", "#name?", "#n/a", "-", "."});
  if (cell.size() > longest) return false;
  const auto* found = std::ranges::find(marks, lower_case(cell));
  return found < marks.end() - (of_levels ? beyond_levels : 0);
}

double read_number(const CsvSource& table, std::string_view cell, std::size_t column, std::size_t line) {
  if (const std::optional<double> value = parse_number(cell)) return *value;
  const std::string place = place_of(table, line, column), found = show_text(cell);
  if (cell.empty()) user_fault(fault_of(cell, line), "{}: the cell is empty; expected a number", place);
  const std::string_view text = without_plus(cell);
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ptr == text.data() + text.size())
    user_fault({.line = line}, "{}: found {}; expected a finite number", place, found);
  const bool comment = cell.starts_with('#') && !is_missing_mark(cell);
  const std::string hint = comment_hint(comment ? cell : table.header.names[0]);
  user_fault(hint.empty() ? fault_of(cell, line) : Fault{.line = line}, "{}: found {}; expected a number{}",
             place, found, hint);
}

namespace {

/// How many bytes a character in UTF-8 has that begins with this one, which is not ASCII; 0 if none does.
std::size_t length_of_character(unsigned char first) {
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/// Where the first byte is that belongs to no character in UTF-8; the size if there is none.
std::size_t first_wrong(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = byte(i), next = byte(i + 1);
    if (c < 0x80) continue;
    const std::size_t length = length_of_character(c);
    // Longer than need be, halves of pairs, and beyond the last character.
    bool wrong = length == 0 || (c == 0xe0 && next < 0xa0) || (c == 0xed && next > 0x9f) ||
                 (c == 0xf0 && next < 0x90) || (c == 0xf4 && next > 0x8f);
    for (std::size_t j = 1; j < length; ++j) wrong = wrong || (byte(i + j) & 0xc0) != 0x80;
    if (wrong) return i;
    i += length - 1;
  }
  return text.size();
}

void append(std::string& out, unsigned code) {
  const auto add = [&](unsigned byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) return add(0xc0 | code >> 6), add(0x80 | (code & 0x3f));
  add(0xe0 | code >> 12);
  add(0x80 | (code >> 6 & 0x3f));
  add(0x80 | (code & 0x3f));
}

/// What Windows has at 0x80 to 0x9f; the five without a character stay control characters.
constexpr std::array<unsigned, 32> of_windows{0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                              0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,   0x017d, 0x8f,
                                              0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                              0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};

}  // namespace

std::size_t to_utf8(std::string& bytes) {
  std::size_t lines = 0, done = 0;  // bytes that are in `out`
  std::string out;
  for (std::size_t at = first_wrong(bytes); at < bytes.size();) {
    const std::size_t begin = std::string_view(bytes).substr(0, at).rfind('\n') + 1,  // npos + 1 is 0
        end = std::min(bytes.find('\n', at), bytes.size());
    out.append(bytes, done, begin - done);
    for (std::size_t i = begin; i < end; ++i) {
      const auto c = static_cast<unsigned char>(bytes[i]);
      append(out, c >= 0x80 && c < 0xa0 ? of_windows[c - 0x80u] : c);
    }
    ++lines;
    done = end;
    at = end + first_wrong(std::string_view(bytes).substr(end));
  }
  if (lines > 0) bytes = out.append(bytes, done);
  return lines;
}

}  // namespace lacp
