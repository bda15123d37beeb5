#include "table/notation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>

#include "lacp/base/text.hpp"
#include "table/csv.hpp"

namespace lacp {
namespace {

constexpr std::array<std::string_view, 22> usual_units{"%",   "$",   "€",  "£",   "¥",   "₹",   "₽", "₩",
                                                       "₺",   "kr",  "zł", "USD", "EUR", "GBP", "JPY", "CHF",
                                                       "CAD", "AUD", "Fr", "Rs",  "R$",  "US$"};

/// Words behind a number that multiply it, and their powers of ten.
constexpr auto factors = std::to_array<std::pair<std::string_view, int>>({{"k", 3},
                                                                          {"K", 3},
                                                                          {"Tsd.", 3},
                                                                          {"Tsd", 3},
                                                                          {"M", 6},
                                                                          {"mn", 6},
                                                                          {"Mio.", 6},
                                                                          {"Mio", 6},
                                                                          {"million", 6},
                                                                          {"bn", 9},
                                                                          {"Mrd.", 9},
                                                                          {"Mrd", 9},
                                                                          {"billion", 9}});

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
  bool negative = false, in_front = false;  ///< is the unit
  int power = 0;                            ///< of ten, from a word such as "k"
  std::string digits, unit;
};

/// Where a number that begins here ends: digits, single marks between them, and an exponent.
std::size_t end_of_digits(std::string_view text, std::size_t at) {
  const auto digit_at = [&](std::size_t i) { return i < text.size() && is_digit(text[i]); };
  const auto one_of = [&](std::size_t i, std::string_view list) {
    return i < text.size() && std::ranges::find(list, text[i]) != list.end();
  };
  while (digit_at(at) || (one_of(at, ".,' ") && digit_at(at + 1))) ++at;
  const std::size_t exponent = at + (one_of(at + 1, "+-") ? 2 : 1);
  if (!one_of(at, "eE") || !digit_at(exponent)) return at;
  for (at = exponent; digit_at(at);) ++at;
  return at;
}

bool is_in(std::span<const std::string_view> list, std::string_view unit) {
  return std::ranges::find(list, unit) != list.end();
}

}  // namespace

bool is_currency(std::string_view unit) { return unit != "%" && is_in(usual_units, unit); }

namespace {

/// Takes a word that multiplies off the front of what stands behind a number: "k", "Mio. €".
int take_factor(std::string_view& behind) {
  for (const auto& [word, power] : factors) {
    if (!behind.starts_with(word)) continue;
    const std::string_view rest = behind.substr(word.size());
    if (!rest.empty() && rest[0] != ' ' && !is_currency(rest)) continue;
    behind = trim(rest);
    return power;
  }
  return 0;
}

std::optional<Written> take_apart(std::string_view cell) {
  const std::string text = plain_marks(cell);
  std::string_view rest = trim(text);
  Written out;
  if (rest.starts_with('(') && rest.ends_with(')')) {
    out.negative = true;
    rest = trim(rest.substr(1, rest.size() - 2));
  }
  auto first = static_cast<std::size_t>(std::ranges::find_if(rest, is_digit) - rest.begin());
  if (first == rest.size()) return std::nullopt;
  if (first > 0 && (rest[first - 1] == '.' || rest[first - 1] == ',')) --first;  // .5
  const std::size_t last = end_of_digits(rest, first);
  out.digits = rest.substr(first, last - first);
  std::string before(rest.substr(0, first));
  if (const std::size_t sign = before.find_first_of("+-"); sign != std::string::npos) {
    if (out.negative) return std::nullopt;
    out.negative = before[sign] == '-';
    before.erase(sign, 1);
  }
  const std::string_view front = trim(before);
  std::string_view behind = trim(rest.substr(last));
  out.power = take_factor(behind);
  if (!front.empty() && !behind.empty()) return std::nullopt;
  out.unit = front.empty() ? behind : front;
  out.in_front = !front.empty();
  return out;
}

/// The unit of one thing: "day" of "days", "lb" of "lbs", but "ms" is none of "m".
std::string_view singular(std::string_view unit) {
  return unit.size() > 2 && unit.ends_with('s') ? unit.substr(0, unit.size() - 1) : unit;
}

/// Whether a text behind a number may be a unit: a word or two without digits, but for "m2" and "ft3".
bool may_be_unit(std::string_view text) {
  constexpr std::size_t longest = 20;
  if (text.empty() || text.size() > longest || text.find_first_of("-:/.,;#&|*+=()") == 0) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool power = i > 0 && (text[i] == '2' || text[i] == '3') &&
                       std::isalpha(static_cast<unsigned char>(text[i - 1])) != 0 &&
                       (i + 1 == text.size() || text[i + 1] == '/');
    if (is_digit(text[i]) && !power) return false;
  }
  return true;
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

/// What stands behind the sign of "<0.5" or ">100"; "" of any other cell.
std::string_view behind_limit(std::string_view cell) {
  const std::string_view text = trim(cell);
  for (const std::string_view sign : {"<=", ">=", "\u2264", "\u2265", "<", ">"})
    if (text.starts_with(sign)) return trim(text.substr(sign.size()));
  return {};
}

std::optional<double> read_digits(const Written& written, char decimal) {
  const std::string_view all = written.digits;
  const std::size_t end = std::min(all.find_first_of("eE"), all.size()),
                    mark = all.substr(0, end).find(decimal);
  const auto whole = ungrouped(all.substr(0, std::min(mark, end)), decimal);
  if (!whole) return std::nullopt;
  std::string text = *whole;
  if (mark != std::string_view::npos) text.append(".").append(all.substr(mark + 1, end - mark - 1));
  if (end < all.size() && written.power > 0) return std::nullopt;
  text.append(all.substr(end));
  if (written.power > 0) text += fmt::format("e{}", written.power);
  const std::optional<double> value = parse_number(text);
  return value && written.negative ? -*value : value;
}

}  // namespace

std::optional<double> read_written(std::string_view cell, const Notation& notation) {
  if (const std::string_view number = behind_limit(cell); notation.limits && !number.empty()) {
    Notation of_limit = notation;
    of_limit.limits = false;
    return read_written(number, of_limit);
  }
  if (notation.clock != TimeParts::none && cell.find(':') != std::string_view::npos)
    return parse_clock(cell, notation.clock);
  const auto written = take_apart(cell);
  if (!written) return std::nullopt;
  const bool fits =
      singular(written->unit) == singular(notation.unit) || (written->unit.empty() && notation.unit != "%");
  return fits ? read_digits(*written, notation.decimal) : std::nullopt;
}

std::string unit_in(std::string_view cell) {
  const auto written = take_apart(cell);
  return written ? written->unit : "";
}

void NotationGuess::Marks::add(std::string_view cell, bool is_point, bool is_comma, bool has_mark) {
  std::string* example = &either;
  if (is_point && !is_comma) {
    example = &point;
    ++points;
  } else if (!is_point) {
    example = &comma;
    if (is_comma) ++commas;
  }
  if (example->empty() && has_mark) *example = cell;
}

void NotationGuess::add_bare(std::string_view cell, std::size_t line) {
  if (++bare_.cells > 1) return;
  bare_.text = cell;
  bare_.line = line;
}

NotationGuess::Cell NotationGuess::add(std::string_view cell, std::size_t line) {
  if (const std::optional<double> value = parse_number(cell)) {
    ++plain;
    last = *value;
    const std::size_t mark = cell.find('.');
    if (mark == std::string_view::npos) {
      ++numbers;
      add_bare(cell, line);
      ++marks_.bare;
      marks_.largest_bare = std::max(marks_.largest_bare, std::abs(*value));
      return Cell::number;
    }
    if (cell.size() - mark != 4) {  // no group of three digits, so a decimal point: most numbers end here
      if (marks_.point.empty()) marks_.point = cell;
      ++numbers;
      add_bare(cell, line);
      ++marks_.points;
      return Cell::number;
    }
  }
  if (const std::string_view number = behind_limit(cell); !number.empty()) {
    const bool once = behind_limit(number).empty();
    const Cell of_limit = once ? NotationGuess().add(number) : Cell::text;
    if (of_limit != Cell::number && of_limit != Cell::measured) return Cell::text;
    if (++limits_ == 1) limit_ = cell;
    return Cell::limit;
  }
  if (const auto time = cell.find(':') < cell.size() ? parse_clock(cell, TimeParts::hours) : std::nullopt) {
    constexpr double day = 86400.0;
    const bool three = std::ranges::count(cell, ':') == 2;
    three_parts_ = three_parts_ || three;
    two_parts_ = two_parts_ || !three;
    minutes_ = minutes_ || (!three && (*time >= day || cell.find_first_of(".,") != std::string_view::npos));
    ++clocks_;
    return Cell::clock;
  }
  const auto written = take_apart(cell);
  if (!written) return Cell::text;
  const auto by_point = read_digits(*written, '.'), by_comma = read_digits(*written, ',');
  const bool point = by_point.has_value(), comma = by_comma.has_value(),
             has_mark = written->digits.find_first_of(".,") != std::string::npos;
  if (!point && !comma) return Cell::text;
  const bool usual = written->unit.empty() || is_in(usual_units, written->unit);
  const std::string key(usual ? written->unit : singular(written->unit));
  constexpr std::size_t most_units = 64;
  if (!usual && (written->in_front || !may_be_unit(written->unit) ||
                 (measures_.size() == most_units && !measures_.contains(key))))
    return Cell::text;
  Unit& unit = (usual ? units_ : measures_).try_emplace(key, Unit{written->unit, 0, line}).first->second;
  ++unit.cells;
  numbers += usual ? 1 : 0;
  if (written->unit.empty()) add_bare(cell, line);
  if (usual && (!point || !comma || *by_point == *by_comma)) last = point ? *by_point : *by_comma;
  (usual ? marks_ : unit.marks).add(cell, point, comma, has_mark);
  return usual ? Cell::number : Cell::measured;
}

bool NotationGuess::settle(std::size_t known) {
  const bool unit = settle_unit(known), clock = settle_clock(known);
  return settle_limits(known) || unit || clock;
}

bool NotationGuess::settle_clock(std::size_t known) {
  // A time or two among numbers are rather mistakes.
  if (10 * clocks_ < known || clocks_ == 0 || 10 * (clocks_ + numbers) < 9 * known) return false;
  const bool without_hours = two_parts_ && (minutes_ || three_parts_);  // 59:10 beside 1:02:33
  clock_ = without_hours ? TimeParts::minutes : TimeParts::hours;
  numbers += clocks_;
  return true;
}

bool NotationGuess::settle_limits(std::size_t known) {
  // "<18", "18-65", ">65" are names.
  if (limits_ == 0 || 10 * numbers < known || 10 * (numbers + limits_) < 9 * known) return false;
  numbers += limits_;
  return limits_settled_ = true;
}

bool NotationGuess::settle_unit(std::size_t known) {
  const auto most = std::ranges::max_element(measures_, {}, [](const auto& m) { return m.second.cells; });
  if (most == measures_.end()) return false;
  const Unit& unit = most->second;
  if (2 * unit.cells <= known || 10 * (numbers + unit.cells) < 9 * known) return false;
  numbers += unit.cells;
  units_[unit.text] = unit;
  marks_.points += unit.marks.points;
  marks_.commas += unit.marks.commas;
  for (auto text : {&Marks::point, &Marks::comma, &Marks::either})
    if ((marks_.*text).empty()) marks_.*text = unit.marks.*text;
  measures_.erase(most);
  return settled_ = true;
}

std::vector<NotationGuess::Unit> NotationGuess::mixed_units() const {
  std::vector<Unit> units;
  for (const auto& [text, unit] : units_)
    if (!text.empty()) units.push_back(unit);
  for (const auto& [text, unit] : measures_) units.push_back(unit);
  // Cells such as "12 Oak" and "3 Elm" are no numbers.
  if (units.size() < 2 || !(settled_ || measures_.empty())) return {};
  std::ranges::stable_sort(units, std::ranges::greater{}, &Unit::cells);
  return units;
}

char NotationGuess::decimal() const {
  if (marks_.points == marks_.commas) return '\0';
  return marks_.points > marks_.commas ? '.' : ',';
}

std::string NotationGuess::unit() const {
  std::string text;
  std::size_t most = 0;
  for (const auto& [name, unit] : units_)
    if (!name.empty() && unit.cells > most) {
      text = name;
      most = unit.cells;
    }
  return text;
}

const std::string& NotationGuess::example() const {
  if (decimal() == '\0') return marks_.either;
  return decimal() == ',' ? marks_.comma : marks_.point;
}

}  // namespace lacp
