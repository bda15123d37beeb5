#include "datasets/column_guess.hpp"

#include <algorithm>
#include <cmath>

#include "lacp/data/column.hpp"
#include "lacp/data/csv_cells.hpp"

namespace lacp {
namespace {

/// One more than may be, so that it shows that there are too many.
void count(std::map<std::string, std::size_t>& texts, std::string_view text) {
  if (texts.size() <= most_levels) ++texts[std::string(text)];
}

void look(ColumnGuess& column, std::string_view cell) {
  if (is_missing_mark(cell)) {
    ++column.missing, ++column.marks[std::string(cell)];
    return;
  }
  count(column.levels, cell);
  double value = 0;
  bool out_of_range = false;
  if (parse_number(cell, value, out_of_range) && std::isfinite(value)) {
    column.counts_rows = column.counts_rows && (column.numbers == 0 || value == column.last + 1.0);
    column.last = value;
    ++column.numbers;
    return;
  }
  count(column.texts, cell);
  if (const auto date = parse_date(cell)) {
    ++column.dates;
    column.dates_with_time += date->has_time ? 1 : 0;
  }
}

/// Nearly all cells are numbers, and the others say the same few things: "unknown", ".".
bool has_own_marks(const ColumnGuess& column) {
  const std::size_t others = column.cells - column.missing - column.numbers;
  return others > 0 && column.texts.size() <= 2 && 10 * others <= column.numbers;
}

}  // namespace

GuessedKind ColumnGuess::kind() const {
  const std::size_t known = cells - missing;
  if (known == 0) return GuessedKind::empty;
  if (numbers == known)
    return counts_rows && known > 20 && missing == 0 ? GuessedKind::row_number : GuessedKind::number;
  if (dates == known) return GuessedKind::date;
  if (levels.size() == 1) return GuessedKind::constant_text;
  return levels.size() <= most_levels ? GuessedKind::category : GuessedKind::long_text;
}

TableGuess guess_columns(const CsvSource& table) {
  TableGuess guess;
  const std::size_t count = table.header.names.size();
  for (const std::string& name : table.header.names)
    guess.columns.push_back({.name = name, .marks = {}, .texts = {}, .levels = {}});
  std::vector<std::vector<bool>> gaps(1, std::vector<bool>(count));
  const auto reader = [&](std::string_view cell, std::size_t index, std::size_t) -> std::optional<double> {
    ColumnGuess& column = guess.columns[index];
    const std::size_t before = column.missing;
    ++column.cells;
    look(column, cell);
    gaps.back()[index] = column.missing > before;
    if (index + 1 < count) return 0.0;
    ++guess.rows;
    if (std::ranges::find(gaps.back(), true) != gaps.back().end()) gaps.emplace_back(count);
    return std::nullopt;  // nothing need be kept
  };
  read_csv(table, std::vector<CellUse>(count, CellUse::text), reader);
  gaps.pop_back();
  guess.gaps = std::move(gaps);
  for (ColumnGuess& column : guess.columns)
    if (has_own_marks(column))
      for (const auto& [text, times] : column.texts) column.marks[text] += times, column.missing += times;
  return guess;
}

}  // namespace lacp
