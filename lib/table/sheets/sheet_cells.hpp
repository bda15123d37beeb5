// The cells of a sheet, from where they stand to a csv.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lacp {

inline constexpr std::size_t most_sheet_rows = 1'048'576, most_sheet_columns = 16'384;  // of a sheet

/// The whole number that a text is, none if it is no such number.
std::optional<std::size_t> count_in(std::string_view text);

/// "C12" as its column and row, from 1; 0 where it says none, or more than a sheet has.
struct CellPlace {
  std::size_t row = 0, column = 0;
};
CellPlace place_at(std::string_view reference);

/// The cells of a sheet that hold something.
class SheetCells {
 public:
  explicit SheetCells(std::uint64_t most) : most_(most) {}

  /// False if the sheet becomes too large.
  bool add(CellPlace place, std::string_view text);

  /// The first cell of several at one place counts. False if the csv becomes too large.
  bool write(std::string& csv);

 private:
  struct Cell {
    std::uint32_t row, column, begin, size;
  };
  static std::pair<std::size_t, std::size_t> in_order(const Cell& cell) { return {cell.row, cell.column}; }
  std::string_view text_of(const Cell& cell) const {
    return std::string_view(text_).substr(cell.begin, cell.size);
  }

  std::uint64_t most_;
  std::string text_;
  std::vector<Cell> cells_;
};

}  // namespace lacp
