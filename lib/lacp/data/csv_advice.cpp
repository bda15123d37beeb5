#include "lacp/data/csv_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "lacp/base/text.hpp"
#include "lacp/data/csv_cells.hpp"

namespace lacp {
namespace {

constexpr std::string_view usual = "correct the cell, or leave the row or the column out";
constexpr std::string_view if_missing =
    "correct the cell, or say under 'missing' in the description what to do about such cells";

bool is_number(std::string_view text) {
  double value = 0;
  bool out_of_range = false;
  return parse_number(text, value, out_of_range);
}

/// The cell without what some write between groups of digits.
std::string joined(std::string_view cell, std::string_view marks) {
  std::string digits(cell);
  std::erase_if(digits, [&](char c) { return marks.find(c) != std::string_view::npos; });
  return digits;
}

std::string advice(std::string_view cell) {
  if (cell.starts_with('#')) return "comments are not read: take such lines out of the file";
  if (std::ranges::count(cell, ',') == 1) {
    std::string with_point = joined(cell, " '.");
    std::ranges::replace(with_point, ',', '.');
    if (is_number(with_point))
      return fmt::format("decimal commas are not read: write {}", show_text(with_point));
  }
  if (const std::string digits = joined(cell, " ',"); digits.size() != cell.size() && is_number(digits))
    return fmt::format("digits in groups are not read: write {}", show_text(digits));
  const auto first = static_cast<unsigned char>(cell.empty() ? '?' : cell.front());
  if (is_missing_mark(cell)) return std::string(if_missing);
  if (std::isalpha(first) != 0 || first >= 0x80)
    return "in a description, name a column of text under columns.categories, columns.ordered or columns.dates, or leave it out with columns.drop";
  return std::string(usual);
}

}  // namespace

bool is_missing_mark(std::string_view cell) {
  const std::string lower = lower_case(cell.substr(0, 5));
  return lower.empty() || lower == "na" || lower == "n/a" || lower == "nan" || lower == "null" ||
         lower == "?";
}

std::string what_is_wrong(std::string_view cell) {
  double value = 0;
  bool out_of_range = false;
  const bool number = parse_number(cell, value, out_of_range);
  if (cell.empty()) return fmt::format("the cell is empty; expected a number; {}", if_missing);
  if (out_of_range)
    return fmt::format("found {}; expected a number within the range of a double; {}", show_text(cell),
                       usual);
  if (number) return fmt::format("found {}; expected a finite number; {}", show_text(cell), usual);
  return fmt::format("found {}; expected a number; {}", show_text(cell), advice(cell));
}

}  // namespace lacp
