#include "lacp/data/notation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lacp/base/text.hpp"
#include "lacp/data/csv_cells.hpp"

namespace lacp {
namespace {

constexpr std::array<std::string_view, 22> usual_units{"%",   "$",   "€",  "£",   "¥",   "₹",   "₽", "₩",
                                                       "₺",   "kr",  "zł", "USD", "EUR", "GBP", "JPY", "CHF",
                                                       "CAD", "AUD", "Fr", "Rs",  "R$",  "US$"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// With the marks that stand for others in type: blanks that do not break, apostrophes, minus signs.
std::string plain_marks(std::string_view cell) {
  constexpr std::array<std::pair<std::string_view, char>, 5> marks{
      {{"\u00a0", ' '}, {"\u202f", ' '}, {"\u2009", ' '}, {"\u2019", '\''}, {"\u2212", '-'}}};
  std::string text;
  while (!cell.empty()) {
    const auto mark = std::ranges::find_if(marks, [&](const auto& m) { return cell.starts_with(m.first); });
    text.push_back(mark == marks.end() ? cell.front() : mark->second);
    cell.remove_prefix(mark == marks.end() ? 1 : mark->first.size());
  }
  return text;
}

/// A cell taken apart: sign, digits with marks between them, and what stands around.
struct Written {
  bool negative = false;
  std::string digits, unit;
};

std::optional<Written> take_apart(std::string_view cell) {
  const std::string text = plain_marks(cell);
  std::string_view rest = trim(text);
  Written out;
  if (rest.starts_with('(') && rest.ends_with(')')) {
    out.negative = true;
    rest = trim(rest.substr(1, rest.size() - 2));
  }
  const auto digit = std::ranges::find_if(rest, is_digit);
  if (digit == rest.end()) return std::nullopt;
  auto first = static_cast<std::size_t>(digit - rest.begin());
  if (first > 0 && (rest[first - 1] == '.' || rest[first - 1] == ',')) --first;  // .5
  const std::size_t last = rest.find_last_of("0123456789") + 1;
  out.digits = rest.substr(first, last - first);
  std::string before(rest.substr(0, first));
  if (const std::size_t sign = before.find_first_of("+-"); sign != std::string::npos) {
    if (out.negative) return std::nullopt;
    out.negative = before[sign] == '-';
    before.erase(sign, 1);
  }
  const std::string_view front = trim(before), behind = trim(rest.substr(last));
  if (!front.empty() && !behind.empty()) return std::nullopt;
  out.unit = front.empty() ? behind : front;
  return out;
}

/// Digits in groups of three, all divided by one mark, without it.
std::optional<std::string> ungrouped(std::string_view whole, char decimal) {
  const std::size_t at = whole.find_first_not_of("0123456789");
  if (at == std::string_view::npos) return std::string(whole);
  const char mark = whole[at];
  if (mark == decimal || std::string_view(".,' ").find(mark) == std::string_view::npos) return std::nullopt;
  std::string digits;
  std::size_t group = 0;
  for (const std::string& part : split_text(whole, mark)) {
    const bool fits = group++ == 0 ? !part.empty() && part.size() <= 3 && part[0] != '0' : part.size() == 3;
    if (!fits || !std::ranges::all_of(part, is_digit)) return std::nullopt;
    digits += part;
  }
  return digits;
}

std::optional<double> read_digits(const Written& written, char decimal) {
  const std::string_view all = written.digits;
  const std::size_t end = std::min(all.find_first_of("eE"), all.size()),
                    mark = all.substr(0, end).find(decimal);
  const auto whole = ungrouped(all.substr(0, std::min(mark, end)), decimal);
  if (!whole) return std::nullopt;
  std::string text = *whole;
  if (mark != std::string_view::npos) text.append(".").append(all.substr(mark + 1, end - mark - 1));
  text.append(all.substr(end));
  const std::optional<double> value = parse_number(text);
  return value && written.negative ? -*value : value;
}

}  // namespace

std::optional<double> read_written(std::string_view cell, const Notation& notation) {
  const auto written = take_apart(cell);
  if (!written) return std::nullopt;
  const bool fits = written->unit == notation.unit || (written->unit.empty() && notation.unit != "%");
  return fits ? read_digits(*written, notation.decimal) : std::nullopt;
}

std::string notation_text(const Notation& notation) {
  const std::string unit = notation.unit.empty() ? "" : fmt::format(" and {}", show_text(notation.unit));
  return fmt::format("a decimal {}{}", notation.decimal == ',' ? "comma" : "point", unit);
}

bool NotationGuess::add(std::string_view cell) {
  if (const std::optional<double> value = parse_number(cell)) {
    ++plain, last = *value;
    const std::size_t mark = cell.find('.');
    if (mark == std::string_view::npos) return ++numbers, true;
    if (cell.size() - mark != 4) {  // no group of three digits, so a decimal point: most numbers end here
      if (point_.empty()) point_ = cell;
      return ++numbers, ++points_, true;
    }
  }
  const auto written = take_apart(cell);
  if (!written ||
      (!written->unit.empty() && std::ranges::find(usual_units, written->unit) == usual_units.end()))
    return false;
  const bool point = read_digits(*written, '.').has_value(), comma = read_digits(*written, ',').has_value();
  if (!point && !comma) return false;
  ++numbers, ++units_[written->unit];
  std::string& example = point && comma ? either_ : point ? point_ : comma_;
  const bool has_mark = written->digits.find_first_of(".,") != std::string::npos;
  if (example.empty() && has_mark) example = cell;
  points_ += point && !comma ? 1 : 0, commas_ += comma && !point ? 1 : 0;
  return true;
}

char NotationGuess::decimal() const { return points_ > commas_ ? '.' : commas_ > points_ ? ',' : '\0'; }

std::string NotationGuess::unit() const {
  std::string unit;
  std::size_t most = 0;
  for (const auto& [text, count] : units_)
    if (!text.empty() && count > most) unit = text, most = count;
  return unit == "%" && 2 * most <= numbers ? "" : unit;
}

const std::string& NotationGuess::example() const {
  return decimal() == ',' ? comma_ : decimal() == '.' ? point_ : either_;
}

}  // namespace lacp
