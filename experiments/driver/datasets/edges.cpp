#include "datasets/edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <span>

#include "lacp/base/text.hpp"
#include "lacp/table/notation.hpp"

namespace lacp {

std::string without_first_lines(std::string_view bytes, std::size_t lines) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < lines && end < bytes.size(); ++i)
    end = std::min(bytes.find('\n', end), bytes.size() - 1) + 1;
  return std::string(lines, '\n').append(bytes.substr(end));
}

std::string without_last_rows(std::string bytes, char delimiter, std::size_t rows) {
  const std::string source;
  std::deque<std::size_t> begins;
  CsvCells cells(bytes, 0, 1, delimiter, source);
  while (rows > 0 && cells.start_record()) {
    begins.push_back(cells.offset());
    if (begins.size() > rows) begins.pop_front();
    do cells.skip();
    while (cells.another_cell());
  }
  if (!begins.empty()) bytes.resize(begins.front());
  return bytes;
}

bool is_number(std::string_view cell) { return NotationGuess().add(cell) == NotationGuess::Cell::number; }

std::size_t count_titles(const std::vector<std::vector<std::string>>& rows) {
  constexpr std::size_t most_titles = 10;
  if (rows.size() < 3) return 0;
  const std::size_t cells = rows.back().size();
  const auto filled = [](const std::vector<std::string>& row) {
    return row.size() - static_cast<std::size_t>(std::ranges::count(row, ""));
  };
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

namespace {

bool says_total(std::string_view cell) {
  std::string_view word = trim(cell);
  while (word.ends_with(':') || word.ends_with('.')) word = trim(word.substr(0, word.size() - 1));
  constexpr auto words =
      std::to_array<std::string_view>({"total",         "totals",    "grand total",  "total sum",  "overall",
                                       "overall total", "sum",       "sums",         "average",    "averages",
                                       "avg",           "mean",      "median",       "summe",      "gesamt",
                                       "gesamtsumme",   "insgesamt", "durchschnitt", "mittelwert", "somme",
                                       "moyenne",       "totale",    "suma",         "Σ",          "∑"});
  return std::ranges::find(words, lower_case(word)) != words.end();
}

/// A cell as a number with a decimal point and with a decimal comma; NaN where it is none.
std::array<double, 2> as_numbers(const std::string& cell) {
  if (cell.find_first_of("0123456789") == std::string::npos) return {NAN, NAN};
  if (const auto plain = parse_number(cell)) return {*plain, NAN};
  if (NotationGuess().add(cell) == NotationGuess::Cell::text) return {NAN, NAN};
  const std::string unit = unit_in(cell);
  std::array<double, 2> read{NAN, NAN};
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    read[i] = read_written(cell, {.decimal = i == 0 ? '.' : ',', .unit = unit}).value_or(NAN);
  return read;
}

/// What the cells of a column add up to, read in one way.
struct Sum {
  double all = 0.0;
  std::size_t above = 0, below = 0;  ///< numbers greater and less than zero
  void add(double value) {
    if (std::isnan(value)) return;
    all += value, above += value > 0.0 ? 1 : 0, below += value < 0.0 ? 1 : 0;
  }
  /// Whether that is the sum of numbers of one sign, which at least half of the rows have: of fewer it may be
  /// by chance. A total may be rounded to the digits that it shows.
  bool is_sum(double value, std::size_t rows, std::ptrdiff_t digits) const {
    const std::size_t used = std::max(above, below);
    double rounding = 0.5;
    for (; digits > 0; --digits) rounding *= 0.1;
    return std::min(above, below) == 0 && used >= 5 && 2 * used >= rows &&
           std::abs(value - all) <= rounding + 1e-9 * std::abs(all);
  }
};
struct ColumnSums {
  std::array<Sum, 2> ways;
  std::size_t numbers = 0, texts = 0;
};
using Sums = std::vector<ColumnSums>;

struct LastRow {
  std::size_t line = 0;
  std::vector<std::string> cells;
};

void add_row(Sums& sums, const LastRow& row) {
  constexpr std::size_t enough = 20;  // texts and no number: none are looked for any more
  for (std::size_t i = 0; i < std::min(sums.size(), row.cells.size()); ++i) {
    auto& [ways, numbers, texts] = sums[i];
    if (numbers == 0 && texts >= enough) continue;
    const std::array<double, 2> read = as_numbers(row.cells[i]);
    for (const std::size_t way : {std::size_t{0}, std::size_t{1}}) ways[way].add(read[way]);
    ++(std::isnan(read[0]) && std::isnan(read[1]) ? texts : numbers);
  }
}

/// Why the row sums up those above it; "" if it does not.
std::string why_total(const CsvSource& table, const LastRow& row, const Sums& sums, std::size_t rows) {
  const std::vector<std::string>& names = table.header.names;
  std::size_t labels = 0;  // each takes a look at the whole table
  for (std::size_t i = 0; i < std::min(names.size(), row.cells.size()) && labels < 3; ++i) {
    const std::string& cell = row.cells[i];
    if (!says_total(cell)) continue;
    ++labels;
    bool alone = true;
    CsvCells cells(table.bytes, table.header.offset, table.header.line, table.format.delimiter, table.name);
    while (alone && cells.start_record() && cells.line() < row.line) {
      std::size_t column = 0;
      do alone = !(lower_case(cells.text()) == lower_case(cell) && column == i) && alone;
      while (cells.another_cell() && ++column > 0);
    }
    if (alone)
      return fmt::format("line {} says {} in column {}", row.line, show_text(cell), show_text(names[i]));
  }
  for (std::size_t i = 0; i < std::min(names.size(), row.cells.size()); ++i) {
    const std::array<double, 2> read = as_numbers(row.cells[i]);
    for (const std::size_t way : {std::size_t{0}, std::size_t{1}}) {
      const std::size_t mark = row.cells[i].rfind(way == 0 ? '.' : ',');
      const std::string shown = mark == std::string::npos ? "" : row.cells[i].substr(mark);
      const auto digits = std::ranges::count_if(shown, [](char c) { return c >= '0' && c <= '9'; });
      if (!std::isnan(read[way]) && sums[i].ways[way].is_sum(read[way], rows, digits))
        return fmt::format("{} of column {} in line {} is the sum of the numbers above it",
                           show_text(row.cells[i]), show_text(names[i]), row.line);
    }
  }
  return "";
}

}  // namespace

Totals find_totals(const CsvSource& table) {
  constexpr std::size_t most_totals = 4, rows_for_sums = 5;
  std::deque<LastRow> last;
  Sums sums(table.header.names.size());
  std::size_t rows = 0;
  CsvCells cells(table.bytes, table.header.offset, table.header.line, table.format.delimiter, table.name);
  while (cells.start_record()) {
    LastRow row{.line = cells.line(), .cells = {}};
    if (last.size() > most_totals) {
      add_row(sums, last.front());
      row.cells = std::move(last.front().cells);
      last.pop_front();
    }
    std::size_t column = 0;
    do {
      if (column == row.cells.size()) row.cells.emplace_back();
      row.cells[column++] = cells.text();
    } while (cells.another_cell());
    row.cells.resize(column);
    last.push_back(std::move(row));
    ++rows;
  }
  Totals totals;
  for (; totals.rows < most_totals && last.size() > 1 && rows > rows_for_sums; --rows) {
    Sums above = sums;
    for (std::size_t i = 0; i + 1 < last.size(); ++i) add_row(above, last[i]);
    const std::string why = why_total(table, last.back(), above, rows - 1);
    if (why.empty()) break;
    totals.why = why + (totals.rows > 0 ? "; " : "") + totals.why;
    ++totals.rows;
    last.pop_back();
  }
  return totals;
}

}  // namespace lacp
