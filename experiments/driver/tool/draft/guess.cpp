#include "tool/draft/guess.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/process.hpp"
#include "datasets/edges.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// The decimal mark of the table: what its columns of numbers demand, each with one voice; 0: all are plain.
char decide_decimal(const std::vector<Seen>& seen, const DraftOptions& options, char delimiter,
                    TableGuess& guess) {
  std::size_t points = 0, commas = 0;
  std::string examples[2], ambiguous, pointed, thousands;
  bool needed = false;
  const bool may_be_thousands = delimiter == ';' || delimiter == '\t';  // where a comma is a decimal mark
  for (const Seen& column : seen) {
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
  std::string why = "guess: no cell says otherwise";
  if (said)
    why = "--decimal";
  else if (!example.empty())
    why = fmt::format("guess: as in {}", show_text(example));
  else if (!ambiguous.empty())
    why = fmt::format("guess: {} is read as {}{}; if that is wrong, say --decimal {}", show_text(ambiguous),
                      read_written(ambiguous, {.decimal = decimal, .unit = unit_in(ambiguous)}).value_or(NAN),
                      by_points && comma ? ", since whole numbers up to 999 stand beside it" : "",
                      comma ? "point" : "comma");
  guess.format += fmt::format("  decimal: {}  # {}\n", comma ? "comma" : "point", why);
  return decimal;
}

/// The order of dates that more texts demand.
DateOrder decide_dates(const std::vector<Seen>& seen, const DraftOptions& options, TableGuess& guess) {
  std::array<std::size_t, 3> dates{};
  const Seen* first = nullptr;
  std::string either;
  bool both = true;
  for (const Seen& column : seen) {
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
  std::string why = "guess: every date reads the same either way";
  if (!options.date.empty())
    why = "--date";
  else if (!example.empty())
    why = fmt::format("guess: as in {}", show_text(example));
  else if (!both)
    why = "guess: by the other column of dates";
  else if (!either.empty())
    why = fmt::format("guess: {} could be either; if this is wrong, say --date {}", show_text(either),
                      day_first ? "month_first" : "day_first");
  guess.format += fmt::format("  date: {}  # {}\n", date_order_name(order), why);
  return order;
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
        !is_named(options.drop, names[i])) {
      numbers.push_back(names[i]);
      target = i;
    }
  if (!options.target.empty()) target = column_named(table, options.target, "--target");
  if (target == names.size()) {
    std::string advice;  // a column that a guess takes for names, or leaves out
    for (std::size_t i = 0; i < seen.size() && advice.empty(); ++i)
      if (seen[i].mostly_numbers())
        advice = "; --target " + shell_quoted(names[i]) + " predicts one that may be a number";
    if (options.other_sheets) user_error("{}: has no column of numbers to predict", table.name);
    user_error("{}: has no column of numbers to predict{}; its columns: {}", table.name, advice,
               short_list(names));
  }
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
  std::size_t most = 0;
  std::string common;
  const auto list = [&](const Counts& counts) {
    for (const auto& [text, times] : counts) {
      texts.push_back(text);
      if (times > most) {
        common = text;
        most = times;
      }
    }
  };
  list(seen.texts);
  list(seen.measured);
  if (what != "dates") list(seen.date_texts);
  const std::size_t others = seen.known() - (what == "dates" ? seen.any_date : seen.numbers.numbers);
  const std::string name = shell_quoted(table.header.names[column]);
  const std::string place = place_of(table, what == "dates" ? seen.first_no_date : seen.first_text, column);
  if (says_total(common))
    user_error(
        "{}: {} of {} in a column of {} {}: {}; rows with {} seem to sum up others, and are no rows of the table: take them out",
        place, others, counted(seen.cells, "cell"), what,
        others == 1 ? "is something else" : "are something else", short_list(texts), show_text(common));
  user_error(
      "{}: {} of {} in a column of {} {}: {}; if {} means that nothing is known, say --missing {}, and {}; else correct {}{}",
      place, others, counted(seen.cells, "cell"), what,
      others == 1 ? "is something else" : "are something else", short_list(texts), show_text(common),
      shell_quoted(common),
      target ? "rows without a target are left out" : "such cells are filled with the mean",
      others == 1 ? "it" : "them",
      target ? "" : fmt::format(", or say --categories {0} or --drop {0}", name));
}

/// A number of kilograms is none of pounds.
void refuse_mixed_units(const Seen& seen, const CsvSource& table, std::size_t column, bool target) {
  const std::vector<NotationGuess::Unit> units = seen.numbers.mixed_units(seen.known());
  if (units.empty()) return;
  std::vector<std::string> shown;
  for (const NotationGuess::Unit& unit : units)
    shown.push_back(fmt::format("{} ({})", show_text(unit.text), counted(unit.cells, "cell")));
  const std::string name = shell_quoted(table.header.names[column]);
  user_error("{}: numbers of this column have different units, {}; convert them to one{}",
             place_of(table, units[1].line, column), join(shown, ", "),
             target ? "" : fmt::format(", or say --categories {0} or --drop {0}", name));
}

/// Two values that say no and yes, in this order; else none.
std::vector<std::string> no_and_yes(const Counts& values) {
  if (values.size() != 2) return {};
  const std::string &a = values.begin()->first, &b = values.rbegin()->first;
  for (const auto& [no, yes] : {std::pair(a, b), {b, a}})
    for (const auto& [first, second] : {std::pair{"no", "yes"}, {"n", "y"}, {"false", "true"}})
      if (lower_case(no) == first && lower_case(yes) == second) return {no, yes};
  return {};
}

/// What an attribute is.
void decide(ColumnGuess& guess, const Seen& seen, const CsvSource& table, std::size_t index, DateOrder order,
            const DraftOptions& options) {
  const std::size_t known = seen.known();
  Column& column = guess.column;
  const auto is = [&](ColumnKind kind, std::string why) {
    column.kind = kind;
    guess.why = std::move(why);
  };
  const auto drop = [&](std::string why) {
    guess.used = false;
    guess.why = std::move(why);
  };
  if (is_named(options.drop, column.name)) return drop("--drop");
  const bool as_number = is_named(options.numbers, column.name),
             as_category = is_named(options.categories, column.name);
  // A column of numbers with points or signs has no hashes, unless it may be an id.
  const std::size_t different = seen.hashes.size() == known ? seen.different() : 0;
  const bool few = seen.values.size() <= most_values, repeats = different > 0 && 2 * different <= known;
  const bool codes = seen.codes() && !as_number && (few || repeats);
  const bool category = codes || as_category;
  const bool numbers = !category && seen.numbers.numbers == known;
  if (std::string why = seen.why_unused(); !why.empty() && !as_number && !as_category)
    return drop(std::move(why));
  if (!category) refuse_mixed_units(seen, table, index, false);
  if (!category && !numbers && (as_number || seen.mostly_numbers()))
    refuse_texts(seen, table, index, false, "numbers");
  if (numbers) return;
  if (!category && seen.any_date == known) {
    if (seen.dates[static_cast<std::size_t>(order)] == known) {
      const bool times = seen.times == known && !seen.all_midnight;
      column.parts = {DatePart::month, DatePart::year};
      if (seen.without_day == 0) column.parts.insert(column.parts.begin(), DatePart::weekday);
      if (times) column.parts.insert(column.parts.begin(), DatePart::hour);
      column.order = order;
      return is(ColumnKind::date,
                fmt::format("every cell is a {}{}", seen.without_day == known ? "month or quarter" : "date",
                            times ? " with a time" : ""));
    }
    const auto& [day, month] = seen.only;
    return drop(day.empty() || month.empty()
                    ? fmt::format("dates in another order than the table's, as {}",
                                  show_text(day.empty() ? month : day))
                    : fmt::format("dates in both orders, as {} and {}", show_text(day), show_text(month)));
  }
  if (!category && seen.mostly(seen.any_date)) refuse_texts(seen, table, index, false, "dates");
  column.values = no_and_yes(seen.values);
  if (!column.values.empty()) return is(ColumnKind::ordered, "no or yes");
  const std::string values =
      !few && different == 0 ? "many" : fmt::format("{}", few ? seen.values.size() : different);
  std::string text = fmt::format("{} different values in {}", values, counted(known, "cell"));
  if (codes)
    text += fmt::format(", names, since {} begins with 0 (else say --numbers {})", show_text(seen.example),
                        shell_quoted(column.name));
  if (few) return is(ColumnKind::category, text);
  if (!codes) text += fmt::format(", as {}", show_text(seen.example));
  if (2 * different > known && !as_category) return drop("text: " + text);
  if (!options.means) return drop(fmt::format("{}: too many for a category of an experiment", text));
  is(ColumnKind::mean, text + ": read by the mean of the target");
}

/// Texts over columns of numbers, in the first row alone: units or more names.
void refuse_second_header(const std::vector<Seen>& seen, const CsvSource& table) {
  std::vector<std::string> texts;
  bool number = false;
  for (const Seen& column : seen) {
    const std::size_t others = column.known() - column.numbers.numbers;
    if (column.numbers.numbers == 0) continue;
    const Counts& found = column.texts.empty() ? column.measured : column.texts;
    if (others == 1 && column.first_text == table.header.line && found.size() == 1)
      texts.push_back(found.begin()->first);
    else
      number = number || others == 0;
  }
  if (table.format.header && texts.size() > (number ? 1 : 0))
    user_error(
        "{}:{}: seems to be a second line of names or units ({}) above the numbers; expected one line of names; take this line out, or join the two",
        table.name, table.header.line, short_list(texts));
}

/// The columns that words separated by commas name; where a name may hold commas itself, the longest.
std::vector<std::string> columns_listed(const std::vector<std::string>& words, const CsvSource& table,
                                        const char* option) {
  std::vector<std::string> columns;
  for (const std::string& word : words)
    for (std::size_t first = 0; first <= word.size(); first += columns.back().size() + 1) {
      std::size_t end = word.size();
      while (!is_named(table.header.names, word.substr(first, end - first)) && word.find(',', first) < end)
        end = word.rfind(',', end - 1);
      columns.push_back(word.substr(first, end - first));
      column_named(table, columns.back(), option);
    }
  return columns;
}

/// How the numbers of a column are written. `decimal`: of the table; 0 if all its numbers are plain.
void decide_notation(ColumnGuess& guess, const Seen& seen, const DraftOptions& options, char decimal) {
  const NotationGuess& numbers = seen.numbers;
  const Notation usual{.decimal = decimal == ',' ? ',' : '.'};
  const char own = options.decimal.empty() ? numbers.decimal() : '\0';
  Notation written{
      .decimal = own != 0 ? own : usual.decimal, .unit = numbers.unit(), .clock = numbers.clock()};
  guess.limits = numbers.limits();
  if (guess.limits > 0) written.limits = options.below_limit == "half" ? Limits::half : Limits::whole;
  if (decimal != 0 || written != usual) guess.column.written = written;
  if (written == usual) return;
  guess.why = fmt::format("as {}", show_text(seen.example));
  if (written.clock != TimeParts::none)
    guess.why = fmt::format("times are numbers of seconds; 1:30 is {}",
                            written.clock == TimeParts::minutes ? "90" : "5400");
  if (guess.limits > 0) {
    guess.limit = numbers.limit();
    guess.why = fmt::format("{} as {}", counted(guess.limits, "cell"), show_text(guess.limit));
  }
}

/// Whether whole numbers are rather names: few, often, with gaps between them that are no steps.
bool may_be_codes(const Seen& seen, const std::string& name) {
  constexpr std::size_t fewest = 3, most = 30, rows_of_each = 5;
  const std::size_t count = seen.values.size();
  constexpr double longest = 1e12;  // an identifier is longer
  if (!seen.whole || count < fewest || count > most || seen.known() < rows_of_each * count ||
      seen.ends.most > longest || seen.ends.least < -longest)
    return false;
  std::vector<long long> values;
  for (const auto& [text, times] : seen.values)
    values.push_back(std::llround(parse_double(text).value_or(0)));
  std::ranges::sort(values);
  long long step = 0;
  std::size_t next = 0;
  for (std::size_t i = 1; i < count; ++i) {
    step = std::gcd(step, values[i] - values[i - 1]);
    next += values[i] - values[i - 1] == 1 ? 1 : 0;
  }
  constexpr long long first_year = 1800, last_year = 2200, spread = 5;
  const bool years = values.front() >= first_year && values.back() <= last_year;
  const bool scattered = values.front() >= 0 && 3 * next < count &&
                         values.back() > spread * static_cast<long long>(count) && step == 1 && !years;
  constexpr std::array endings = {"code", "type", "agent", "category", "zip", "district"};
  const std::string lower = lower_case(name);
  return scattered ||
         std::ranges::any_of(endings, [&](const char* ending) { return lower.ends_with(ending); });
}

/// "'F' and 'f'" of values that are the same but for their case; or "".
std::string alike_but_for_case(const Counts& values) {
  std::map<std::string, std::vector<std::string>> by_lower;
  for (const auto& [value, times] : values) by_lower[lower_case(value)].push_back(show_text(value));
  std::vector<std::string> alike;
  for (const auto& [lower, texts] : by_lower)
    if (texts.size() > 1) alike.push_back(join(texts, " and "));
  return join(alike, ", ");
}

/// What cells may mean, besides what they were taken for.
void add_hints(const ColumnGuess& of_column, const Seen& seen, bool is_target, const DraftOptions& options,
               TableGuess& guess) {
  if (!of_column.used) return;
  const Column& column = of_column.column;
  const std::string name = show_text(column.name), option = shell_quoted(column.name);
  const bool numbers = column.kind == ColumnKind::number;
  constexpr std::size_t fewest_others = 5;  // different values
  // What was seen of ends took points for decimal marks.
  const bool thousands = seen.numbers.ambiguous_point() && column.written.value_or(Notation{}).decimal == ',';
  const std::optional<double> far =
      numbers && !thousands && seen.values.size() > fewest_others ? seen.ends.far() : std::nullopt;
  if (far)
    guess.hints.push_back(fmt::format(
        "column {} is {} in {}, far from all others; if that means that nothing is known, say --missing {}",
        name, *far, counted(*far == seen.ends.least ? seen.ends.of_least : seen.ends.of_most, "cell"), *far));
  if (numbers && of_column.why.empty() && !is_target && !is_named(options.numbers, column.name) &&
      may_be_codes(seen, column.name))
    guess.hints.push_back(fmt::format(
        "column {} holds {} different whole numbers; if they are codes, which measure nothing, say --categories {}",
        name, seen.values.size(), option));
  if (numbers && !is_target && seen.codes() && !is_named(options.numbers, column.name))
    guess.hints.push_back(fmt::format(
        "column {} is read as numbers, though {} begins with 0, since hardly any of them occurs again; if they are names, say --drop {} (--numbers {}: without this note)",
        name, show_text(seen.example), option, option));
  const bool few = column.kind == ColumnKind::category && seen.values.size() <= most_values;
  if (const std::string alike = few ? alike_but_for_case(seen.values) : ""; !alike.empty())
    guess.hints.push_back(fmt::format(
        "column {} has categories that differ by case only: {}; if they are the same, write them alike", name,
        alike));
}

/// One line about all columns with cells as "<0.5", and one about marks that no cell has.
void add_hints_of_all(const std::vector<Seen>& seen, const DraftOptions& options, TableGuess& guess) {
  constexpr std::size_t most_hints = 10;  // of wide tables
  if (const std::size_t more = guess.hints.size(); more > most_hints) {
    guess.hints.resize(most_hints);
    guess.hints.push_back(fmt::format("{} more columns are like these", more - most_hints));
  }
  std::vector<std::string> limits;
  for (const ColumnGuess& column : guess.columns)
    if (column.limits > 0)
      limits.push_back(fmt::format("{} ({}, as {})", show_text(column.column.name),
                                   counted(column.limits, "cell"), show_text(column.limit)));
  if (!limits.empty())
    guess.hints.push_back(fmt::format(
        "cells that say no more than a limit are read as {}: {}{}",
        options.below_limit == "half" ? "half of it, those above one as the limit"
                                      : "that limit (--below-limit half: as half of it)",
        join(limits, ", "), guess.of_target().limits > 0 ? "; intervals hold for targets read so" : ""));
  for (const std::string& mark : options.missing)
    if (std::ranges::none_of(seen, [&](const Seen& column) { return column.marks.contains(mark); }))
      guess.hints.push_back(fmt::format("--missing {}: no cell is {}", shell_quoted(mark), show_text(mark)));
  if (const Column& target = guess.of_target().column;
      target.written.value_or(Notation{}).clock != TimeParts::none)
    guess.hints.push_back(fmt::format("target {} holds times: predictions and intervals are in seconds",
                                      show_text(target.name)));
}

}  // namespace

TableGuess guess_table(const CsvSource& table, const DraftOptions& given) {
  TableGuess guess;
  DraftOptions options = given;
  options.drop = columns_listed(given.drop, table, "--drop");
  options.categories = columns_listed(given.categories, table, "--categories");
  options.numbers = columns_listed(given.numbers, table, "--numbers");
  std::vector<std::vector<bool>> gaps;
  const std::vector<Seen> seen = look_at_all(table, options, gaps);
  guess.rows = seen[0].cells;
  guess.marks.insert(options.missing.begin(), options.missing.end());
  if (options.missing.empty()) refuse_second_header(seen, table);
  const char decimal = decide_decimal(seen, options, table.format.delimiter, guess);
  const DateOrder order = decide_dates(seen, options, guess);
  guess.target = choose_target(seen, table, options);
  guess.two_values = seen[guess.target].values.size() == 2;
  std::string refused;
  std::vector<std::string> refused_too;  // all at once, for who has to correct them
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ColumnGuess column{
        .column = {.name = table.header.names[i]}, .missing = seen[i].missing, .marks = seen[i].marks};
    const bool is_target = i == guess.target;
    try {
      if (!is_target) decide(column, seen[i], table, i, order, options);
      if (is_target) refuse_mixed_units(seen[i], table, i, true);
      if (is_target && seen[i].numbers.numbers < seen[i].known())
        refuse_texts(seen[i], table, i, true, "numbers");
    } catch (const UserError& error) {
      if (!refused.empty()) refused_too.push_back(column.column.name);
      if (refused.empty()) refused = error.what();
    }
    if (column.used && column.column.kind == ColumnKind::number)
      decide_notation(column, seen[i], options, decimal);
    add_hints(column, seen[i], is_target, options, guess);
    if (column.used) {
      guess.missing += column.missing;
      guess.marks.insert(column.marks.begin(), column.marks.end());
    }
    guess.columns.push_back(std::move(column));
  }
  if (!refused_too.empty())
    refused += "; cells of other columns are like that, too: " + short_list(refused_too);
  if (!refused.empty()) throw UserError(refused);
  add_hints_of_all(seen, options, guess);
  const auto is_gap = [&](const std::vector<bool>& row) {
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row[i] && guess.columns[i].used) return true;
    return false;
  };
  guess.with_gaps = static_cast<std::size_t>(std::ranges::count_if(gaps, is_gap));
  return guess;
}

Columns TableGuess::used() const {
  Columns chosen;
  if (!marks.empty()) chosen.marks.emplace();
  for (const std::string& mark : marks) chosen.marks->emplace_back(trim(mark));
  chosen.target = {of_target().column};
  if (of_target().missing > 0) chosen.target[0].if_missing = IfMissing::drop_row;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i == target || !columns[i].used) continue;
    chosen.attributes.push_back(columns[i].column);
    // A gap in a new row is filled, also where the table has none.
    chosen.attributes.back().if_missing = IfMissing::fill;
  }
  return chosen;
}

}  // namespace lacp
