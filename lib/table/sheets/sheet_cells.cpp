#include "table/sheets/sheet_cells.hpp"

#include <algorithm>

#include "lacp/base/text.hpp"
#include "table/csv.hpp"

namespace lacp {

std::optional<std::size_t> count_in(std::string_view text) {
  const std::optional<long long> number = parse_integer(text);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

CellPlace place_at(std::string_view reference) {
  CellPlace place;
  std::size_t i = 0;
  for (; i < reference.size() && i < 4 && reference[i] >= 'A' && reference[i] <= 'Z'; ++i)
    place.column = 26 * place.column + static_cast<std::size_t>(reference[i] - 'A') + 1;
  place.row = count_in(reference.substr(i)).value_or(0);
  if (place.row > most_sheet_rows || place.column > most_sheet_columns) return {};
  return place;
}

bool SheetCells::add(CellPlace place, std::string_view text) {
  if (trim(text).empty()) return true;
  if (text_.size() + text.size() > most_ / 2 || cells_.size() >= most_ / sizeof(Cell)) return false;
  cells_.push_back({static_cast<std::uint32_t>(place.row), static_cast<std::uint32_t>(place.column),
                    static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(text.size())});
  text_ += text;
  return true;
}

bool SheetCells::write(std::string& csv) {
  std::ranges::stable_sort(cells_, {}, in_order);
  std::vector<std::size_t> place(most_sheet_columns + 1, 0);  // of each column that holds something, from 1
  for (const Cell& cell : cells_) place[cell.column] = 1;
  std::size_t columns = 0;
  for (std::size_t& column : place)
    if (column > 0) column = ++columns;
  std::size_t row = 1, column = 1;
  const auto end_row = [&] {
    csv.append(columns - column, ',').append("\n");
    column = 1;
  };
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Cell& cell = cells_[i];
    const bool again = i > 0 && in_order(cells_[i - 1]) == in_order(cell);
    if (again) continue;
    if (i > 0 && cell.row > row) {
      end_row();
      ++row;
    }
    csv.append(cell.row - row, '\n');
    row = cell.row;
    csv.append(place[cell.column] - column, ',');
    column = place[cell.column];
    csv += csv_quoted(std::string(text_of(cell)));
    if (csv.size() > most_) return false;
  }
  if (!cells_.empty()) end_row();
  return true;
}

}  // namespace lacp
