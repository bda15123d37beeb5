#include "tool/draft/guess.hpp"

#include <algorithm>
#include <cmath>

#include "common/process.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "table/sheets/edges.hpp"

namespace lacp {
namespace {

std::size_t choose_target(const std::vector<ColumnScan>& seen, const CsvSource& table,
                          const DraftOptions& options) {
  const std::vector<std::string>& names = table.header.names;
  std::vector<std::string> numbers;
  std::size_t target = names.size();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (seen[i].mostly_numbers() && !seen[i].codes() && !seen[i].why_unused() &&
        !is_named(options.drop, names[i])) {
      numbers.push_back(names[i]);
      target = i;
    }
  if (!options.target.empty()) target = column_named(table, options.target, "--target");
  if (target == names.size()) {
    user_error("{}: has no column of numbers to predict; its columns: {}", table.name, short_list(names));
  }
  if (!seen[target].mostly_numbers())
    user_error("{}: column {} holds {}; columns of numbers: {}", table.name, show_text(names[target]),
               seen[target].numbers.numbers == 0 ? "no number" : "too few numbers",
               numbers.empty() ? "none" : short_list(numbers));
  return target;
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
void decide(ColumnGuess& guess, const ColumnScan& seen, const CsvSource& table, std::size_t index,
            DateOrder order, char separator, const DraftOptions& options) {
  const std::size_t known = seen.known();
  Column& column = guess.column;
  const auto is = [&](ColumnKind kind, std::string why) {
    column.kind = kind;
    guess.why = std::move(why);
  };
  const auto drop = [&](Unused reason, std::string cell = {}, std::size_t count = 0, std::size_t of = 0) {
    guess.unused = UnusedColumn{column.name, reason, std::move(cell), count, of};
  };
  if (is_named(options.drop, column.name)) return drop(Unused::by_option);
  const bool as_number = is_named(options.numbers, column.name),
             as_category = is_named(options.categories, column.name);
  // A column of numbers with points or signs has no hashes, unless it may be an id.
  const std::size_t different = seen.hashes.size() == known ? seen.different() : 0;
  const bool few = seen.values.size() <= most_values, repeats = different > 0 && 2 * different <= known;
  const bool codes = seen.codes() && !as_number && (few || repeats);
  const bool category = codes || as_category;
  const bool numbers = !category && seen.numbers.numbers == known;
  if (const auto why = seen.why_unused(); why && !as_number && !as_category)
    return drop(*why, seen.example, seen.missing, seen.cells);
  if (!category) refuse_mixed_units(seen, table, index, options);
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
    return drop(Unused::other_dates, seen.only[order == DateOrder::day_first ? 1 : 0]);
  }
  if (!category && seen.mostly(seen.any_date)) refuse_texts(seen, table, index, false, "dates");
  column.values = no_and_yes(seen.values);
  if (!column.values.empty()) return is(ColumnKind::ordered, "no or yes");
  if (separator != '\0' && !as_category) {
    column.separator = separator;
    return is(ColumnKind::list, fmt::format("lists, as {}", show_text(seen.example)));
  }
  const std::string values =
      !few && different == 0 ? "many" : fmt::format("{}", few ? seen.values.size() : different);
  std::string text = fmt::format("{} different values in {}", values, counted(known, "cell"));
  if (codes)
    text += fmt::format(", names, since {} begins with 0 (or --numbers {})", show_text(seen.example),
                        shell_quoted(column.name));
  if (few) return is(ColumnKind::category, text);
  if (!codes) text += fmt::format(", as {}", show_text(seen.example));
  if (2 * different > known && !as_category) return drop(Unused::text, seen.example, different, known);
  if (!options.means) return drop(Unused::many_values, seen.example, different, known);
  is(ColumnKind::mean, text + ": read by the mean of the target");
}

/// The columns that words separated by commas name, unless a name holds commas itself.
std::vector<std::string> columns_listed(const std::vector<std::string>& words, const CsvSource& table,
                                        const char* option) {
  std::vector<std::string> columns;
  for (const std::string& word : words)
    for (const std::string& name :
         is_named(table.header.names, word) ? std::vector{word} : split_text(word, ',')) {
      column_named(table, name, option);
      columns.push_back(name);
    }
  return columns;
}

/// How the numbers of a column are written. `decimal`: of the table; 0 if all its numbers are plain.
void decide_notation(ColumnGuess& guess, const ColumnScan& seen, const DraftOptions& options, char decimal) {
  const NotationGuess& numbers = seen.numbers;
  const Notation usual{.decimal = decimal == ',' ? ',' : '.'};
  const char own = options.decimal.empty() ? numbers.decimal() : '\0';
  Notation written{
      .decimal = own != 0 ? own : usual.decimal, .unit = numbers.unit(), .clock = numbers.clock()};
  written.limits = numbers.limits() > 0;
  if (decimal != 0 || written != usual) guess.column.written = written;
  if (written == usual) return;
  guess.why = fmt::format("as {}", show_text(seen.example));
  if (written.clock != TimeParts::none)
    guess.why = fmt::format("times are numbers of seconds; 1:30 is {}",
                            written.clock == TimeParts::minutes ? "90" : "5400");
  if (written.limits)
    guess.why = fmt::format("{} as {}", counted(numbers.limits(), "cell"), show_text(numbers.limit()));
}

}  // namespace

TableGuess guess_table(const CsvSource& table, const DraftOptions& given) {
  TableGuess guess;
  DraftOptions options = given;
  options.drop = columns_listed(given.drop, table, "--drop");
  options.categories = columns_listed(given.categories, table, "--categories");
  options.numbers = columns_listed(given.numbers, table, "--numbers");
  const std::vector<ColumnScan> seen = look_at_all(table, options);
  guess.rows = seen[0].cells;
  guess.marks.insert(options.missing.begin(), options.missing.end());
  if (options.missing.empty()) refuse_second_header(seen, table);
  const char decimal = decide_decimal(seen, options, table.format.delimiter, guess);
  const DateOrder order = decide_dates(seen, options, guess);
  guess.target = choose_target(seen, table, options);
  guess.two_values = seen[guess.target].values.size() == 2;
  const std::vector<char> separators = find_lists(table, seen);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ColumnGuess column{
        .column = {.name = table.header.names[i]}, .missing = seen[i].missing, .marks = seen[i].marks};
    const bool is_target = i == guess.target;
    if (!is_named(options.drop, column.column.name)) refuse_formulas(seen[i], table, i);
    if (!is_target) decide(column, seen[i], table, i, order, separators[i], options);
    if (is_target) refuse_mixed_units(seen[i], table, i, options);
    if (is_target && seen[i].numbers.numbers < seen[i].known())
      refuse_texts(seen[i], table, i, true, "numbers");
    if (!column.unused && column.column.kind == ColumnKind::number)
      decide_notation(column, seen[i], options, decimal);
    add_hints(column, seen[i], is_target, options, guess);
    if (!column.unused) guess.marks.insert(column.marks.begin(), column.marks.end());
    guess.columns.push_back(std::move(column));
  }
  add_hints_of_all(seen, options, guess);
  return guess;
}

Columns TableGuess::used() const {
  Columns chosen;
  if (!marks.empty()) chosen.marks.emplace();
  for (const std::string& mark : marks) chosen.marks->emplace_back(trim(mark));
  chosen.target = {of_target().column};
  if (of_target().missing > 0) chosen.target[0].if_missing = IfMissing::drop_row;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i == target || columns[i].unused) continue;
    chosen.attributes.push_back(columns[i].column);
    // A gap in a new row is filled, also where the table has none.
    chosen.attributes.back().if_missing = IfMissing::fill;
  }
  return chosen;
}

}  // namespace lacp
