#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "lacp/base/text.hpp"
#include "tool/draft/guess.hpp"

namespace lacp {

std::size_t ColumnScan::different() const {
  std::vector<std::size_t> sorted = hashes;
  std::ranges::sort(sorted);
  return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

std::optional<Unused> ColumnScan::why_unused() const {
  if (known() == 0) return Unused::empty;
  if (2 * missing > cells) return Unused::mostly_empty;
  if (values.size() == 1) return Unused::constant;
  if (numbers.numbers == cells && counts_rows && cells > 20) return Unused::row_number;
  const bool may_be_id = is_id && known() > 20 && (numbers.numbers < known() || whole);
  return may_be_id && different() == known() ? std::optional(Unused::id) : std::nullopt;
}

void NumberEnds::add(double number) {
  if (number < least) {
    above_least = least;
    least = number;
    of_least = 0;
  } else if (number > least) {
    above_least = std::min(above_least, number);
  }
  if (number > most) {
    below_most = most;
    most = number;
    of_most = 0;
  } else if (number < most) {
    below_most = std::max(below_most, number);
  }
  of_least += number == least ? 1 : 0;
  of_most += number == most ? 1 : 0;
}

std::optional<double> NumberEnds::far() const {
  constexpr double times = 2.0;  // as far from the others as these lie apart
  const auto is_far = [](double gap, double others) { return others > 0.0 && gap > times * others; };
  if (of_least > 1 && least != 0.0 && is_far(above_least - least, most - above_least)) return least;
  if (of_most > 1 && most != 0.0 && is_far(most - below_most, below_most - least)) return most;
  return std::nullopt;
}

const std::string* MissingMarks::find(std::string_view cell) const {
  for (const std::string& mark : texts)
    if (mark == cell) return &mark;
  const std::optional<double> plain = parse_number(cell);
  for (const std::string& mark : texts) {
    const std::optional<double> number = parse_number(mark);
    if (!number) continue;
    // "-999,0", which a decimal point would not make another number
    const auto reads_so = [&] {
      return read_written(cell, {.decimal = ','}) == number &&
             read_written(cell, {.decimal = '.'}).value_or(*number) == *number;
    };
    if (plain ? plain == number : reads_so()) return &mark;
  }
  return nullptr;
}

namespace {

/// One more than may be, so that it shows that there are too many.
void count(Counts& texts, std::string_view text) {
  if (texts.size() <= most_values) ++texts[std::string(text)];
}

void look_at_date(ColumnScan& seen, std::string_view cell) {
  const std::array read{parse_date(cell), parse_date(cell, DateOrder::day_first),
                        parse_date(cell, DateOrder::month_first)};
  for (std::size_t i = 0; i < read.size(); ++i) seen.dates[i] += read[i] ? 1 : 0;
  if (!read[1] && !read[2]) return;
  const DateTime& date = read[1] ? *read[1] : *read[2];
  ++seen.any_date;
  seen.times += date.has_time ? 1 : 0;
  seen.without_day += date.has_day ? 0 : 1;
  seen.all_midnight = seen.all_midnight && std::fmod(date.seconds, 86400.0) == 0.0;
  if (read[1] && read[2] && read[1]->seconds != read[2]->seconds && seen.either.empty()) seen.either = cell;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (read[i + 1] && !read[2 - i] && seen.only[i].empty()) seen.only[i] = cell;
}

void look(ColumnScan& seen, std::string_view cell, std::size_t line, const MissingMarks& marks) {
  ++seen.cells;
  const std::string* mark = marks.find(cell);
  if (mark != nullptr || is_missing_mark(cell)) {
    ++seen.missing;
    seen.marks.emplace(mark != nullptr ? *mark : cell);
    return;
  }
  if (cell == no_result && seen.formula == 0) seen.formula = line;
  if (seen.example.empty()) seen.example = cell;
  count(seen.values, cell);
  const double before = seen.numbers.last;
  const std::size_t plain = seen.numbers.plain;
  const NotationGuess::Cell kind = seen.numbers.add(cell, line);
  const bool number = kind == NotationGuess::Cell::number;
  seen.digits = seen.digits && cell.find_first_not_of("0123456789") == std::string_view::npos;
  if (seen.digits && cell.size() > 1 && cell[0] == '0' && !seen.padded) {
    seen.padded = true;
    seen.example = cell;
  }
  if (!number || seen.is_id || seen.digits) seen.hashes.push_back(std::hash<std::string_view>{}(cell));
  if (number) {
    seen.ends.add(seen.numbers.last);
    seen.whole =
        seen.whole && seen.numbers.plain > plain && seen.numbers.last == std::floor(seen.numbers.last);
    seen.counts_rows =
        seen.counts_rows && seen.numbers.plain > plain && (plain == 0 || seen.numbers.last == before + 1.0);
    return;
  }
  for (std::size_t i = 0; i < list_separators.size(); ++i)
    seen.listed[i] += cell.find(list_separators[i]) != std::string_view::npos ? 1 : 0;
  const std::size_t dates = seen.any_date;
  look_at_date(seen, cell);
  const bool date = seen.any_date > dates, measured = kind != NotationGuess::Cell::text;
  if (std::size_t& first = measured ? seen.first_measured : seen.first_text; first == 0) first = line;
  if (!date && seen.first_no_date == 0) seen.first_no_date = line;
  auto& others = measured ? seen.measured : seen.texts;
  count(date ? seen.date_texts : others, cell);
}

/// Whether the column's numbers have a unit, are times or have limits is known once all cells were seen.
void settle(ColumnScan& seen) {
  if (seen.numbers.settle(seen.known())) {
    seen.counts_rows = seen.whole = false;
    Notation notation{.unit = seen.numbers.unit(), .clock = seen.numbers.clock()};
    notation.limits = seen.numbers.limits() > 0;
    std::erase_if(seen.measured, [&](const auto& text) {
      Notation comma = notation;
      comma.decimal = ',';
      return read_written(text.first, notation) || read_written(text.first, comma);
    });
    if (seen.measured.empty()) return;
  }
  if (seen.first_text == 0 || (seen.first_measured > 0 && seen.first_measured < seen.first_text))
    seen.first_text = seen.first_measured;
}

bool is_id_name(const std::string& name) {
  const std::string lower = lower_case(name);
  constexpr std::array words = {"id", "index", "uuid", "guid", "key", "rowid", "row", "nr", "no", "#"};
  constexpr std::array endings = {"_id", " id", "-id", ".id"};
  return std::ranges::find(words, lower) != words.end() || name.ends_with("Id") || name.ends_with("ID") ||
         std::ranges::any_of(endings, [&](const char* ending) { return lower.ends_with(ending); });
}

}  // namespace

std::vector<ColumnScan> look_at_all(const CsvSource& table, const DraftOptions& options) {
  const std::size_t columns = table.header.names.size();
  std::vector<ColumnScan> seen(columns);
  for (std::size_t i = 0; i < columns; ++i)
    if (const std::string& name = table.header.names[i]; table.format.header)
      seen[i].is_id = name == fmt::format("c{}", i + 1) || is_id_name(name);
  const auto reader = [&](std::string_view cell, std::size_t i, std::size_t line) -> std::optional<double> {
    look(seen[i], cell, line, {options.missing});
    return i + 1 < columns ? std::optional(0.0) : std::nullopt;  // nothing need be kept
  };
  read_csv(table, std::vector<CellUse>(columns, CellUse::text), reader);
  std::ranges::for_each(seen, settle);
  return seen;
}

namespace {

/// The cells of a column, taken for lists.
class ListGuess {
 public:
  explicit ListGuess(char separator) : separator_(separator) {}

  char separator() const { return separator_; }
  void add(std::string_view cell) {
    if (!fits_ || is_missing_mark(cell)) return;
    const std::vector<std::string> members = members_of(cell, separator_);
    for (const std::string& member : members) ++members_[member];
    lengths_.insert(members.size());
    mixtures_.emplace(cell);
    fits_ =
        members_.size() <= most_members && std::set(members.begin(), members.end()).size() == members.size();
  }

  /// Cells have one member or several, of few that occur again in other mixtures.
  bool are_lists() const {
    const auto again = [](const auto& member) { return member.second > 1; };
    return fits_ && lengths_.size() > 1 && members_.size() > 2 && members_.size() < mixtures_.size() &&
           std::ranges::all_of(members_, again);
  }

 private:
  char separator_;
  bool fits_ = true;
  Counts members_;
  std::set<std::size_t> lengths_;
  std::set<std::string, std::less<>> mixtures_;
};

}  // namespace

std::vector<char> find_lists(const CsvSource& table, const std::vector<ColumnScan>& seen) {
  std::map<std::size_t, ListGuess> may_be;
  for (std::size_t i = 0; i < seen.size(); ++i)
    for (std::size_t k = 0; k < list_separators.size(); ++k)
      if (const bool texts = seen[i].numbers.numbers == 0 && seen[i].any_date == 0;
          texts && 10 * seen[i].listed[k] > seen[i].known())
        may_be.try_emplace(i, list_separators[k]);
  std::vector<char> separators(seen.size(), '\0');
  if (may_be.empty()) return separators;
  const auto reader = [&](std::string_view cell, std::size_t i, std::size_t) -> std::optional<double> {
    may_be.at(i).add(cell);
    return 0.0;
  };
  std::vector<CellUse> use(seen.size(), CellUse::skip);
  for (const auto& [i, guess] : may_be) use[i] = CellUse::text;
  read_csv(table, use, reader);
  for (const auto& [i, guess] : may_be)
    if (guess.are_lists()) separators[i] = guess.separator();
  return separators;
}

char decide_decimal(const std::vector<ColumnScan>& seen, const DraftOptions& options, char delimiter,
                    TableGuess& guess) {
  std::size_t points = 0, commas = 0;
  std::string examples[2], ambiguous, pointed, thousands;
  bool needed = false;
  const bool may_be_thousands = delimiter == ';' || delimiter == '\t';  // where a comma is a decimal mark
  for (const ColumnScan& column : seen) {
    if (!column.mostly_numbers()) continue;
    const NotationGuess& numbers = column.numbers;
    const char decimal = numbers.decimal();
    needed = needed || numbers.plain < numbers.numbers;
    points += decimal == '.' ? 1 : 0;
    commas += decimal == ',' ? 1 : 0;
    if (std::string& example = examples[decimal == ',' ? 1 : 0]; decimal != 0 && example.empty())
      example = numbers.example();
    if (numbers.ambiguous_comma() && ambiguous.empty()) ambiguous = numbers.example();
    if (!may_be_thousands || !numbers.ambiguous_point()) continue;
    if (pointed.empty()) pointed = numbers.example();
    if (numbers.thousands_points() && thousands.empty()) thousands = numbers.example();
  }
  const bool said = !options.decimal.empty();
  const bool by_points = points == 0 && commas == 0 && ambiguous.empty() && !pointed.empty();
  needed = needed || by_points;
  if (!said && !needed && commas == 0) return 0;
  bool comma = commas > points;
  if (said)
    comma = options.decimal == "comma";
  else if (by_points)
    comma = !thousands.empty();
  else if (commas == points)
    comma = !ambiguous.empty() && delimiter != ',';
  const char decimal = comma ? ',' : '.';
  const std::string& example = examples[comma ? 1 : 0];
  if (by_points) ambiguous = comma && !said ? thousands : pointed;
  std::string why = "no cell says otherwise";
  if (said)
    why = "--decimal";
  else if (!example.empty())
    why = fmt::format("as in {}", show_text(example));
  else if (!ambiguous.empty())
    why = fmt::format("{} is read as {}; if wrong, say --decimal {}", show_text(ambiguous),
                      read_written(ambiguous, {.decimal = decimal, .unit = unit_in(ambiguous)}).value_or(NAN),
                      comma ? "point" : "comma");
  if (!said && example.empty() && !ambiguous.empty()) guess.hints.push_back(why);
  guess.format.push_back({fmt::format("  decimal: {}", comma ? "comma" : "point"), why, !said});
  return decimal;
}

DateOrder decide_dates(const std::vector<ColumnScan>& seen, const DraftOptions& options, TableGuess& guess) {
  std::array<std::size_t, 3> dates{};
  const ColumnScan* first = nullptr;
  std::string either;
  bool both = true;
  for (const ColumnScan& column : seen) {
    if (!column.mostly(column.any_date) || column.dates[0] == column.any_date) continue;
    if (first == nullptr) first = &column;
    for (std::size_t i = 0; i < dates.size(); ++i) dates[i] += column.dates[i];
    both = both && column.only[0].empty() && column.only[1].empty();
    if (either.empty()) either = column.either;
  }
  if (first == nullptr) return DateOrder::iso;
  const bool points = first->example.find('.') != std::string::npos;
  const bool day_first = options.date.empty() ? dates[1] > dates[2] || (dates[1] == dates[2] && points)
                                              : options.date == "day_first";
  const DateOrder order = day_first ? DateOrder::day_first : DateOrder::month_first;
  const std::string& example = first->only[day_first ? 0 : 1];
  std::string why = "every date reads the same either way";
  if (!options.date.empty())
    why = "--date";
  else if (!example.empty())
    why = fmt::format("as in {}", show_text(example));
  else if (!both)
    why = "by the other column of dates";
  else if (!either.empty())
    why = fmt::format("{} could be either; if wrong, say --date {}", show_text(either),
                      day_first ? "month_first" : "day_first");
  if (options.date.empty() && example.empty() && both && !either.empty()) guess.hints.push_back(why);
  guess.format.push_back({fmt::format("  date: {}", date_order_name(order)), why, options.date.empty()});
  return order;
}

}  // namespace lacp
