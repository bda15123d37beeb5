#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "datasets/draft.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/data/csv.hpp"

namespace lacp {
namespace {

using Counts = std::map<std::string, std::size_t>;

/// What was seen in the cells of one column.
struct Seen {
  std::size_t cells = 0, missing = 0;
  Counts marks, levels;  ///< levels: all known cells, as long as they may be levels
  NotationGuess numbers;
  Counts texts;  ///< cells that are no numbers, as long as they may be levels
  std::size_t first_text = 0,
              first_no_date = 0;       ///< the line of the first of them, and of one that is no date
  std::array<std::size_t, 3> dates{};  ///< texts that are dates in each order
  std::size_t any_date = 0, times = 0;
  std::array<std::string, 2> only{};    ///< the first text that is a date with the day first alone, the month
  bool is_id = false, unnamed = false;  ///< an id going by its name, or by its having none
  bool counts_rows = true, whole = true;
  bool digits = true, padded = false;  ///< all cells are digits alone; one begins with a needless zero
  std::vector<std::size_t> hashes;     ///< of texts, and of all cells if it may be an id or codes
  std::string example;                 ///< the first known cell

  std::size_t known() const { return cells - missing; }
  std::size_t different() const {
    std::vector<std::size_t> sorted = hashes;
    std::ranges::sort(sorted);
    return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  }
  /// Nearly all cells are numbers, or most are and there are too many different ones to be levels.
  bool mostly_numbers() const { return mostly(numbers.numbers); }
  bool mostly(std::size_t count) const {
    return count > 0 && (10 * count >= 9 * known() || (2 * count > known() && levels.size() > most_levels));
  }
  /// Digits that are names, as the postcode 01067.
  bool codes() const { return digits && padded; }
  /// What makes it no attribute, whatever its cells are; "" if nothing does.
  std::string why_unused() const {
    const std::string as = fmt::format(", as {}", show_text(example));
    if (known() == 0) return "holds nothing";
    if (2 * missing > cells)
      return fmt::format("more than half of its cells hold nothing, {} of {}", missing, cells);
    if (levels.size() == 1) return "the same in every row" + as;
    if (numbers.numbers == cells && counts_rows && cells > 20) return "counts the rows" + as;
    const bool may_be_id = is_id && known() > 20 && (numbers.numbers < known() || whole);
    if (!may_be_id || different() != known()) return "";
    return (unnamed ? "an index without a name" : "an id, different in every row") + as;
  }
};

/// One more than may be, so that it shows that there are too many.
void count(Counts& texts, std::string_view text) {
  if (texts.size() <= most_levels) ++texts[std::string(text)];
}

void look_at_date(Seen& seen, std::string_view cell) {
  const std::array read{parse_date(cell), parse_date(cell, DateOrder::day_first),
                        parse_date(cell, DateOrder::month_first)};
  for (std::size_t i = 0; i < read.size(); ++i) seen.dates[i] += read[i] ? 1 : 0;
  if (!read[1] && !read[2]) return;
  ++seen.any_date, seen.times += (read[1] ? read[1] : read[2])->has_time ? 1 : 0;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (read[i + 1] && !read[2 - i] && seen.only[i].empty()) seen.only[i] = cell;
}

void look(Seen& seen, std::string_view cell, std::size_t line, const std::vector<std::string>& marks) {
  ++seen.cells;
  if (is_missing_mark(cell) || std::ranges::find(marks, cell) != marks.end()) {
    ++seen.missing, ++seen.marks[std::string(cell)];
    return;
  }
  if (seen.example.empty()) seen.example = cell;
  count(seen.levels, cell);
  const double before = seen.numbers.last;
  const std::size_t plain = seen.numbers.plain;
  const bool number = seen.numbers.add(cell);
  seen.digits = seen.digits && cell.find_first_not_of("0123456789") == std::string_view::npos;
  if (seen.digits && cell.size() > 1 && cell[0] == '0' && !seen.padded)
    seen.padded = true, seen.example = cell;
  if (!number || seen.is_id || seen.digits) seen.hashes.push_back(std::hash<std::string_view>{}(cell));
  if (number) {
    seen.whole =
        seen.whole && seen.numbers.plain > plain && seen.numbers.last == std::floor(seen.numbers.last);
    seen.counts_rows =
        seen.counts_rows && seen.numbers.plain > plain && (plain == 0 || seen.numbers.last == before + 1.0);
    return;
  }
  const std::size_t dates = seen.any_date;
  look_at_date(seen, cell);
  if (seen.texts.empty()) seen.first_text = line;
  if (seen.any_date == dates && seen.first_no_date == 0) seen.first_no_date = line;
  count(seen.texts, cell);
}

bool is_id_name(const std::string& name) {
  const std::string lower = lower_case(name);
  for (const char* word : {"id", "index", "uuid", "guid", "key", "rowid", "row", "nr", "no", "#"})
    if (lower == word) return true;
  for (const char* ending : {"_id", " id", "-id", ".id"})
    if (lower.ends_with(ending)) return true;
  return name.ends_with("Id") || name.ends_with("ID");
}

std::vector<Seen> look_at_all(const CsvSource& table, const DraftOptions& options, TableGuess& guess) {
  const std::size_t columns = table.header.names.size();
  std::vector<Seen> seen(columns);
  for (std::size_t i = 0; i < columns; ++i)
    if (const std::string& name = table.header.names[i]; table.format.header)
      seen[i].unnamed = name == fmt::format("c{}", i + 1),
      seen[i].is_id = seen[i].unnamed || is_id_name(name);
  std::vector<std::vector<bool>> gaps(1, std::vector<bool>(columns));
  const auto reader = [&](std::string_view cell, std::size_t i, std::size_t line) -> std::optional<double> {
    const std::size_t before = seen[i].missing;
    look(seen[i], cell, line, options.missing);
    gaps.back()[i] = seen[i].missing > before;
    if (i + 1 < columns) return 0.0;
    ++guess.rows;
    if (std::ranges::find(gaps.back(), true) != gaps.back().end()) gaps.emplace_back(columns);
    return std::nullopt;  // nothing need be kept
  };
  read_csv(table, std::vector<CellUse>(columns, CellUse::text), reader);
  gaps.pop_back();
  guess.gaps = std::move(gaps);
  return seen;
}

/// The decimal mark of the table: what its columns of numbers demand, each with one voice.
void decide_decimal(const std::vector<Seen>& seen, const DraftOptions& options, char delimiter,
                    TableGuess& guess) {
  std::size_t points = 0, commas = 0;
  std::string examples[2], ambiguous;
  bool needed = false;
  for (const Seen& column : seen) {
    if (!column.mostly_numbers()) continue;
    const NotationGuess& numbers = column.numbers;
    const char decimal = numbers.decimal();
    needed = needed || numbers.plain < numbers.numbers;
    points += decimal == '.' ? 1 : 0, commas += decimal == ',' ? 1 : 0;
    if (decimal != 0 && examples[decimal == ',' ? 1 : 0].empty())
      examples[decimal == ',' ? 1 : 0] = numbers.example();
    if (numbers.ambiguous_comma() && ambiguous.empty()) ambiguous = numbers.example();
  }
  if (!options.decimal.empty()) {
    guess.decimal = options.decimal == "comma" ? ',' : '.';
    guess.decimal_why = "--decimal";
  } else if (needed || commas > 0) {
    const bool comma = commas > points || (commas == points && !ambiguous.empty() && delimiter != ',');
    guess.decimal = comma ? ',' : '.';
    const std::string& example = examples[comma ? 1 : 0];
    guess.decimal_why =
        !example.empty() ? fmt::format("guess: as in {}", show_text(example))
        : !ambiguous.empty()
            ? fmt::format("guess: {} is read as {}; if that is wrong, say --decimal {}", show_text(ambiguous),
                          read_written(ambiguous, {.decimal = guess.decimal}).value_or(NAN),
                          comma ? "point" : "comma")
            : "guess: no cell says otherwise";
  }
}

/// The order of dates that more texts demand.
void decide_dates(const std::vector<Seen>& seen, const DraftOptions& options, TableGuess& guess) {
  std::array<std::size_t, 3> dates{};
  const Seen* first = nullptr;
  bool day = false, month = false;
  for (const Seen& column : seen) {
    if (!column.mostly(column.any_date) || column.dates[0] == column.any_date) continue;
    if (first == nullptr) first = &column;
    for (std::size_t i = 0; i < dates.size(); ++i) dates[i] += column.dates[i];
    day = day || !column.only[0].empty(), month = month || !column.only[1].empty();
  }
  if (first == nullptr) return;
  const bool points = first->example.find('.') != std::string::npos;
  const bool day_first = dates[1] > dates[2] || (dates[1] == dates[2] && points);
  guess.date = day_first ? DateOrder::day_first : DateOrder::month_first;
  if (const auto said = parse_date_order(options.date)) guess.date = *said;
  const std::string& example = first->only[guess.date == DateOrder::day_first ? 0 : 1];
  guess.date_why = !options.date.empty() ? "--date"
                   : !example.empty()    ? fmt::format("guess: as in {}", show_text(example))
                   : day || month
                       ? "guess: by the other column of dates"
                       : fmt::format("guess: {} could be either; if this is wrong, say --date {}",
                                     show_text(first->example), day_first ? "month_first" : "day_first");
}

bool is_named(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

std::size_t choose_target(const std::vector<Seen>& seen, const CsvSource& table,
                          const DraftOptions& options) {
  const std::vector<std::string>& names = table.header.names;
  std::vector<std::string> numbers;
  std::size_t target = names.size();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (seen[i].mostly_numbers() && !seen[i].codes() && seen[i].why_unused().empty() &&
        !is_named(options.drop, names[i]))
      numbers.push_back(names[i]), target = i;
  if (!options.target.empty()) target = column_named(table, options.target, "--target");
  if (target == names.size())
    user_error("{}: has no column of numbers to predict; name one with --target; its columns: {}", table.name,
               short_list(names));
  if (!seen[target].mostly_numbers())
    user_error("{}: column {} holds {}, so it cannot be predicted; columns of numbers: {}", table.name,
               show_text(names[target]),
               seen[target].numbers.numbers == 0 ? "no number" : "numbers in a part of its cells only",
               numbers.empty() ? "none" : short_list(numbers));
  return target;
}

/// Cells that are not what nearly all others of their column are: what was found, and what to do.
[[noreturn]] void refuse_texts(const Seen& seen, const CsvSource& table, std::size_t column, bool target,
                               std::string_view what) {
  std::vector<std::string> texts;
  std::string common;
  for (const auto& [text, times] : seen.texts) {
    if (what == "dates" &&
        (parse_date(text, DateOrder::day_first) || parse_date(text, DateOrder::month_first)))
      continue;
    texts.push_back(text);
    if (common.empty() || times > seen.texts.at(common)) common = text;
  }
  const std::size_t others = seen.known() - (what == "dates" ? seen.any_date : seen.numbers.numbers);
  user_error(
      "{}: {} of {} in a column of {} {}: {}; if {} means that nothing is known, say --missing {}, and {}; else correct {}{}",
      place_of(table, what == "dates" ? seen.first_no_date : seen.first_text, column), others,
      counted(seen.cells, "cell"), what, others == 1 ? "is something else" : "are something else",
      short_list(texts), show_text(common), show_text(common),
      target ? "rows without a target are left out" : "such cells are filled with the mean",
      others == 1 ? "it" : "them",
      target ? ""
             : fmt::format(", or say --categories {0} or --drop {0}", show_text(table.header.names[column])));
}

/// Two levels that say no and yes, in this order; else empty.
std::vector<std::string> no_and_yes(const Counts& levels) {
  if (levels.size() != 2) return {};
  const std::string &a = levels.begin()->first, &b = std::next(levels.begin())->first;
  for (const auto& [no, yes] : {std::pair{"no", "yes"}, {"n", "y"}, {"false", "true"}}) {
    if (lower_case(a) == no && lower_case(b) == yes) return {a, b};
    if (lower_case(b) == no && lower_case(a) == yes) return {b, a};
  }
  return {};
}

/// What an attribute is.
void decide(ColumnGuess& column, const Seen& seen, const CsvSource& table, std::size_t index,
            const TableGuess& guess, const DraftOptions& options) {
  const std::size_t known = seen.known();
  const auto is = [&](GuessedKind kind, std::string why) { column.kind = kind, column.why = std::move(why); };
  if (is_named(options.drop, column.name)) return is(GuessedKind::unused, "--drop");
  const bool as_number = is_named(options.numbers, column.name),
             as_category = is_named(options.categories, column.name);
  // A column of numbers with points or signs has no hashes, unless it may be an id.
  const std::size_t different = seen.hashes.size() == known ? seen.different() : 0;
  const bool few = seen.levels.size() <= most_levels, repeats = different > 0 && 2 * different <= known;
  const bool codes = seen.codes() && !as_number && (few || (options.means && repeats));
  const bool category = codes || as_category;
  const bool numbers = !category && seen.numbers.numbers == known;
  if (std::string why = seen.why_unused(); !why.empty() && !as_number && !as_category)
    return is(GuessedKind::unused, std::move(why));
  if (!category && !numbers && (as_number || seen.mostly_numbers()))
    refuse_texts(seen, table, index, false, "numbers");
  if (numbers) return is(GuessedKind::number, "");
  if (!category && seen.any_date == known) {
    column.times = seen.times == known;
    if (seen.dates[static_cast<std::size_t>(guess.date)] == known)
      return is(GuessedKind::date, fmt::format("every cell is a date{}", column.times ? " with a time" : ""));
    const auto& [day, month] = seen.only;
    return is(GuessedKind::unused,
              day.empty() || month.empty()
                  ? fmt::format("dates in another order than the table's, as {}",
                                show_text(day.empty() ? month : day))
                  : fmt::format("dates in both orders, as {} and {}", show_text(day), show_text(month)));
  }
  if (!category && seen.mostly(seen.any_date)) refuse_texts(seen, table, index, false, "dates");
  column.levels = no_and_yes(seen.levels);
  if (!column.levels.empty()) return is(GuessedKind::yes_no, "no or yes");
  std::string text = fmt::format("{} different values in {}",
                                 few              ? fmt::format("{}", seen.levels.size())
                                 : different == 0 ? "many"
                                                  : fmt::format("{}", different),
                                 counted(known, "cell"));
  if (codes)
    text += fmt::format(", names, since {} begins with 0 (else say --numbers {})", show_text(seen.example),
                        show_text(column.name));
  if (few) return is(GuessedKind::category, text);
  if (!codes) text += fmt::format(", as {}", show_text(seen.example));
  if (2 * different > known && !as_category) return is(GuessedKind::unused, "text: " + text);
  if (!options.means)
    return is(GuessedKind::unused, fmt::format("{}: too many for a category of an experiment", text));
  is(GuessedKind::mean, text + ": read by the mean of the target");
}

}  // namespace

TableGuess guess_table(const CsvSource& table, const DraftOptions& options) {
  TableGuess guess;
  for (const auto& [list, option] : {std::pair{&options.drop, "--drop"},
                                     {&options.categories, "--categories"},
                                     {&options.numbers, "--numbers"}})
    for (const std::string& name : *list) column_named(table, name, option);
  const std::vector<Seen> seen = look_at_all(table, options, guess);
  decide_decimal(seen, options, table.format.delimiter, guess);
  decide_dates(seen, options, guess);
  guess.target = choose_target(seen, table, options);
  guess.two_values = seen[guess.target].levels.size() == 2;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ColumnGuess column{.name = table.header.names[i], .missing = seen[i].missing, .marks = seen[i].marks};
    const NotationGuess& numbers = seen[i].numbers;
    const char own = options.decimal.empty() ? numbers.decimal() : '\0';
    column.notation = {.decimal = own != 0             ? own
                                  : guess.decimal != 0 ? guess.decimal
                                                       : '.',
                       .unit = numbers.unit()};
    if (i != guess.target)
      decide(column, seen[i], table, i, guess, options);
    else if (column.kind = GuessedKind::number; numbers.numbers < seen[i].known())
      refuse_texts(seen[i], table, i, true, "numbers");
    if (column.kind == GuessedKind::number &&
        column.notation != Notation{.decimal = guess.decimal == ',' ? ',' : '.'})
      column.why = fmt::format("as {}", show_text(seen[i].example));
    guess.columns.push_back(std::move(column));
  }
  return guess;
}

}  // namespace lacp
