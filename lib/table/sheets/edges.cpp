#include "table/sheets/edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "table/notation.hpp"

namespace lacp {

std::string without_first_lines(std::string_view bytes, std::size_t lines) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < lines && end < bytes.size(); ++i)
    end = std::min(bytes.find('\n', end), bytes.size() - 1) + 1;
  return std::string(lines, '\n').append(bytes.substr(end));
}

namespace {

/// Tells where each row begins.
void each_row(std::string_view bytes, char delimiter, const std::function<void(std::size_t)>& use) {
  const std::string source;
  CsvCells cells(bytes, 0, 1, delimiter, source);
  while (cells.start_record()) {
    use(cells.offset());
    do cells.skip();
    while (cells.another_cell());
  }
}

}  // namespace

std::string without_last_rows(std::string bytes, char delimiter, std::size_t rows) {
  if (rows == 0) return bytes;
  std::deque<std::size_t> begins;
  each_row(bytes, delimiter, [&](std::size_t begin) {
    begins.push_back(begin);
    if (begins.size() > rows) begins.pop_front();
  });
  if (!begins.empty()) bytes.resize(begins.front());
  return bytes;
}

std::size_t count_rows(std::string_view bytes, char delimiter) {
  std::size_t rows = 0;
  each_row(bytes, delimiter, [&](std::size_t) { ++rows; });
  return rows;
}

bool is_number(std::string_view cell) { return NotationGuess().add(cell) == NotationGuess::Cell::number; }

namespace {

std::size_t filled(const std::vector<std::string>& row) {
  return row.size() - static_cast<std::size_t>(std::ranges::count(row, ""));
}

}  // namespace

std::size_t count_titles(const std::vector<std::vector<std::string>>& rows) {
  constexpr std::size_t most_titles = 10;
  if (rows.size() < 3) return 0;
  const std::size_t cells = rows.back().size();
  std::size_t titles = 0;
  while (titles < std::min(most_titles, rows.size()) &&
         (filled(rows[titles]) < 2 || 2 * filled(rows[titles]) < cells))
    ++titles;
  if (cells < 2 || titles + 1 >= rows.size()) return 0;
  const std::vector<std::string>& header = rows[titles];
  const bool names = header.size() == cells && filled(header) + 1 >= cells && filled(header) > 1 &&
                     std::ranges::none_of(header, is_number);
  const auto has_number = [&](const auto& row) { return std::ranges::any_of(row, is_number); };
  const bool numbers = std::ranges::any_of(std::span(rows).subspan(titles + 1), has_number);
  return names && numbers ? titles : 0;
}

void drop_notes(std::vector<std::vector<std::string>>& rows) {
  std::size_t most = 0;
  for (const std::vector<std::string>& row : rows) most = std::max(most, filled(row));
  const auto is_last = [](const auto& row) {
    return filled(row) < 2 || std::ranges::any_of(row, says_total);
  };
  while (most > 1 && rows.size() > 1 && is_last(rows.back())) rows.pop_back();
}

namespace {

constexpr std::size_t most_totals = 4, most_notes = 20, rows_for_words = 2;

/// Whether it reads as a note: begun by a mark, or more than a name.
bool reads_as_note(std::string_view text) {
  constexpr auto marks = std::to_array<std::string_view>({"*", "†", "‡", "§", "#", "(", "[", "¹", "²", "³"});
  const auto begins = [&](std::string_view mark) { return text.starts_with(mark); };
  return std::ranges::any_of(marks, begins) || text.find(':') != std::string_view::npos ||
         text.find(") ") != std::string_view::npos || std::ranges::count(text, ' ') > 1;
}

}  // namespace

bool says_total(std::string_view cell) {
  constexpr std::size_t longest = 20;
  if (cell.empty() || cell.size() > longest || (cell[0] >= '-' && cell[0] <= '9')) return false;
  std::string_view word = trim(cell);
  while (word.ends_with(':') || word.ends_with('.')) word = trim(word.substr(0, word.size() - 1));
  constexpr auto words = std::to_array<std::string_view>(
      {"total",      "totals",   "grand total", "total sum",   "overall",       "overall total",
       "sum",        "sums",     "average",     "averages",    "avg",           "mean",
       "median",     "summe",    "gesamt",      "gesamtsumme", "insgesamt",     "durchschnitt",
       "mittelwert", "somme",    "moyenne",     "totale",      "suma",          "Σ",
       "∑",          "subtotal", "sub-total",   "sub total",   "zwischensumme", "sous-total",
       "subtotale",  "subtotaal"});
  return std::ranges::find(words, lower_case(word)) != words.end();
}

std::string TableEnd::text() const {
  return fmt::format("left out at the end, {}: {}", counted(rows, "row"), why);
}

LastRows::LastRows(std::vector<std::string> columns, std::vector<bool> names, OnRow on_row)
    : columns_(std::move(columns)),
      names_(std::move(names)),
      on_row_(std::move(on_row)),
      above_(columns_.size()) {
  names_.resize(columns_.size());
}

void LastRows::add(const Row& row) {
  for (std::size_t i = 0; i < std::min(above_.size(), row.cells.size()); ++i) {
    ColumnAbove& column = above_[i];
    if (says_total(row.cells[i])) column.said.insert(lower_case(row.cells[i]));
    ++column.cells;
    column.numbers = column.numbers && is_number(row.cells[i]);
  }
}

void LastRows::see(std::string_view records, std::size_t line, char delimiter) {
  const std::string source;
  CsvCells cells(records, 0, line, delimiter, source);
  try {
    while (readable_ && cells.start_record()) {
      Row row;
      if (last_.size() > most_totals + most_notes) {
        add(last_.front());
        if (on_row_) on_row_(last_.front().line, last_.front().cells);
        row = std::move(last_.front());  // its memory
        last_.pop_front();
      }
      row.line = cells.line();
      row.after_blank = !last_.empty() && row.line > last_.back().last_line + 1;
      std::size_t column = 0;
      do {
        if (column == row.cells.size()) row.cells.emplace_back();
        row.cells[column++] = cells.text();
      } while (cells.another_cell());
      row.cells.resize(column);
      row.last_line = cells.line();
      last_.push_back(std::move(row));
      ++rows_;
    }
  } catch (const UserError&) {  // whoever reads the rows says what is wrong with them
    readable_ = false;
  }
}

/// Why the last row sums up those above it: a cell says so, and no other of its column does; "" if it does
/// not.
std::string LastRows::why_total() const {
  const Row& row = last_.back();
  const std::size_t columns = std::min(columns_.size(), row.cells.size());
  for (std::size_t i = 0; i < columns && rows_ > rows_for_words; ++i) {
    if (names_[i] || !says_total(row.cells[i])) continue;
    const std::string word = lower_case(row.cells[i]);
    const auto says_it = [&](const Row& other) {
      return other.line != row.line && i < other.cells.size() && lower_case(other.cells[i]) == word;
    };
    if (above_[i].said.contains(word) || std::ranges::any_of(last_, says_it)) continue;
    return fmt::format("line {} says {} in column {}", row.line, show_text(row.cells[i]),
                       show_text(columns_[i]));
  }
  return "";
}

/// Why the row is empty or a note, a text alone, which commas may cut; "" if it is neither.
std::string LastRows::why_note() const {
  const Row& row = last_.back();
  const std::size_t cells = filled(row.cells);
  const bool cut = row.cells.size() < columns_.size() && std::ranges::none_of(row.cells, is_number);
  if (columns_.size() < 2 || (cells > 1 && !cut)) return "";
  if (cells == 0) return fmt::format("line {} is empty", row.line);
  const auto found = std::ranges::find_if(row.cells, [](const std::string& cell) { return !cell.empty(); });
  const auto column = static_cast<std::size_t>(found - row.cells.begin());
  if (column >= columns_.size() || is_number(*found) || is_missing_mark(*found)) return "";
  const auto again = [&](const Row& other) {
    return other.line != row.line && column < other.cells.size() && other.cells[column] == *found;
  };
  const bool among_numbers = above_[column].cells > 0 && above_[column].numbers;
  if (!(row.after_blank || among_numbers || reads_as_note(*found)) || std::ranges::any_of(last_, again))
    return "";
  return fmt::format("line {} is a note: {}", row.line, show_text(*found));
}

TableEnd LastRows::finish(std::size_t most) {
  TableEnd end;
  const auto leave_out = [&](const std::string& why) {
    end.why = why + (end.rows > 0 ? "; " : "") + end.why;
    ++end.rows;
    last_.pop_back();
    --rows_;
  };
  while (readable_ && last_.size() > 1 && end.rows < std::min(most, most_notes)) {
    const std::string why = why_note();
    if (why.empty()) break;
    leave_out(why);
  }
  const std::size_t notes = end.rows;
  while (readable_ && last_.size() > 1 && end.rows < std::min(most, notes + most_totals)) {
    const std::string why = why_total();
    if (why.empty()) break;
    leave_out(why);
  }
  for (const Row& row : last_)
    if (on_row_) on_row_(row.line, row.cells);
  return end;
}

TableEnd find_end(const CsvSource& table) {
  LastRows rows(table.header.names);
  rows.see(table.bytes.substr(table.header.offset), table.header.line, table.format.delimiter);
  return rows.finish();
}

}  // namespace lacp
