#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "lacp/base/text.hpp"
#include "tool/draft/guess.hpp"

namespace lacp {

std::size_t Seen::different() const {
  std::vector<std::size_t> sorted = hashes;
  std::ranges::sort(sorted);
  return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

std::string Seen::why_unused() const {
  const std::string as = fmt::format(", as {}", show_text(example));
  if (known() == 0) return "holds nothing";
  if (2 * missing > cells)
    return fmt::format("more than half of its cells hold nothing, {} of {}", missing, cells);
  if (values.size() == 1) return "the same in every row" + as;
  if (numbers.numbers == cells && counts_rows && cells > 20) return "counts the rows" + as;
  const bool may_be_id = is_id && known() > 20 && (numbers.numbers < known() || whole);
  if (!may_be_id || different() != known()) return "";
  return (unnamed ? "an index without a name" : "an id, different in every row") + as;
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

void look_at_date(Seen& seen, std::string_view cell) {
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

void look(Seen& seen, std::string_view cell, std::size_t line, const MissingMarks& marks) {
  ++seen.cells;
  const std::string* mark = marks.find(cell);
  if (mark != nullptr || is_missing_mark(cell)) {
    ++seen.missing;
    seen.marks.emplace(mark != nullptr ? *mark : cell);
    return;
  }
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
  const std::size_t dates = seen.any_date;
  look_at_date(seen, cell);
  const bool date = seen.any_date > dates, measured = kind != NotationGuess::Cell::text;
  if (std::size_t& first = measured ? seen.first_measured : seen.first_text; first == 0) first = line;
  if (!date && seen.first_no_date == 0) seen.first_no_date = line;
  auto& others = measured ? seen.measured : seen.texts;
  count(date ? seen.date_texts : others, cell);
}

/// Whether the column's numbers have a unit, are times or have limits is known once all cells were seen.
void settle(Seen& seen) {
  if (seen.numbers.settle(seen.known())) {
    seen.counts_rows = seen.whole = false;
    Notation notation{.unit = seen.numbers.unit(), .clock = seen.numbers.clock()};
    if (seen.numbers.limits() > 0) notation.limits = Limits::whole;
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

std::vector<Seen> look_at_all(const CsvSource& table, const DraftOptions& options,
                              std::vector<std::vector<bool>>& gaps) {
  const std::size_t columns = table.header.names.size();
  std::vector<Seen> seen(columns);
  for (std::size_t i = 0; i < columns; ++i)
    if (const std::string& name = table.header.names[i]; table.format.header) {
      seen[i].unnamed = name == fmt::format("c{}", i + 1);
      seen[i].is_id = seen[i].unnamed || is_id_name(name);
    }
  gaps.assign(1, std::vector<bool>(columns));
  const auto reader = [&](std::string_view cell, std::size_t i, std::size_t line) -> std::optional<double> {
    const std::size_t before = seen[i].missing;
    look(seen[i], cell, line, {options.missing});
    gaps.back()[i] = seen[i].missing > before;
    if (i + 1 < columns) return 0.0;
    if (std::ranges::find(gaps.back(), true) != gaps.back().end()) gaps.emplace_back(columns);
    return std::nullopt;  // nothing need be kept
  };
  read_csv(table, std::vector<CellUse>(columns, CellUse::text), reader);
  gaps.pop_back();
  std::ranges::for_each(seen, settle);
  return seen;
}

}  // namespace lacp
