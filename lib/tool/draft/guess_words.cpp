// The words of a guess: what it refuses, what cells may mean besides, why a column is unused.

#include <optional>

#include "common/process.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "table/sheets/edges.hpp"
#include "tool/draft/guess.hpp"

namespace lacp {
namespace {

/// Whether whole numbers are rather names: long ones of as many digits each, all different.
bool are_long_codes(const ColumnScan& seen) {
  constexpr double shortest = 1e8;  // nine digits
  const auto digits = [](double number) { return fmt::format("{:.0f}", number).size(); };
  return seen.digits && seen.known() > 20 && seen.ends.least >= shortest &&
         digits(seen.ends.least) == digits(seen.ends.most) && seen.different() == seen.known();
}

}  // namespace

void refuse_texts(const ColumnScan& seen, const CsvSource& table, std::size_t column, bool target,
                  std::string_view what) {
  std::vector<std::string> texts;
  std::size_t most = 0;
  std::string common;
  const bool dates = what == "dates";
  for (const Counts* counts : {&seen.texts, &seen.measured, &seen.date_texts}) {
    if (dates && counts == &seen.date_texts) continue;
    for (const auto& [text, times] : *counts) {
      texts.push_back(text);
      if (times <= most) continue;
      common = text;
      most = times;
    }
  }
  const std::size_t others = seen.known() - (dates ? seen.any_date : seen.numbers.numbers);
  const std::string found = fmt::format("{}: found {} in {} of {}; expected {}",
                                        place_of(table, dates ? seen.first_no_date : seen.first_text, column),
                                        short_list(texts), others, counted(seen.cells, "cell"), what);
  if (says_total(common)) user_error("{}; take out the rows that sum up others", found);
  const std::string drop = target ? "" : " or --drop " + shell_quoted(table.header.names[column]);
  user_error("{}; correct them, or say --missing {}{}", found, shell_quoted(common), drop);
}

void refuse_mixed_units(const ColumnScan& seen, const CsvSource& table, std::size_t column,
                        const DraftOptions& options) {
  const std::string& name = table.header.names[column];
  if (const std::vector<NotationGuess::Unit> units = seen.numbers.mixed_units(); !units.empty()) {
    const auto shown = [](const NotationGuess::Unit& unit) {
      return fmt::format("{} ({})", show_text(unit.text), counted(unit.cells, "cell"));
    };
    user_error("{}: different units, {}; convert them, or say --drop {}",
               place_of(table, units[1].line, column), join_each(units, ", ", shown), shell_quoted(name));
  }
  const std::optional<NotationGuess::Unit> bare = seen.numbers.without_unit();
  const std::string unit = seen.numbers.unit();
  const bool said = is_named(options.numbers, name);
  if (!bare || is_currency(unit) || !(said || seen.mostly_numbers()) || (said && unit != "%")) return;
  user_error("{}: {} of {} have no {}, as {}; {}", place_of(table, bare->line, column), bare->cells,
             counted(seen.numbers.numbers, "number"), show_text(unit), show_text(bare->text),
             unit == "%" ? "write it at all of them"
                         : fmt::format("if they mean the same, say --numbers {}", shell_quoted(name)));
}

void refuse_formulas(const ColumnScan& seen, const CsvSource& table, std::size_t column) {
  if (seen.formula == 0) return;
  user_error(
      "{}: a formula without a stored result; save the file in a spreadsheet program, or say --drop {}",
      place_of(table, seen.formula, column), shell_quoted(table.header.names[column]));
}

void refuse_second_header(const std::vector<ColumnScan>& seen, const CsvSource& table) {
  std::vector<std::string> texts;
  bool number = false;
  for (const ColumnScan& column : seen) {
    const std::size_t others = column.known() - column.numbers.numbers;
    if (column.numbers.numbers == 0) continue;
    const Counts& found = column.texts.empty() ? column.measured : column.texts;
    if (others == 1 && column.first_text == table.header.line && found.size() == 1)
      texts.push_back(found.begin()->first);
    else
      number = number || others == 0;
  }
  if (table.format.header && texts.size() > (number ? 1 : 0))
    user_error("{}:{}: seems to be a second line of names or units, {}; say --skip {}", table.name,
               table.header.line, short_list(texts), table.header.line - 1);
}

void add_hints(const ColumnGuess& of_column, const ColumnScan& seen, bool is_target,
               const DraftOptions& options, TableGuess& guess) {
  if (of_column.unused) return;
  const Column& column = of_column.column;
  const std::string option = shell_quoted(column.name);
  const bool numbers = column.kind == ColumnKind::number;
  constexpr std::size_t fewest_others = 5;  // different values
  // What was seen of ends took points for decimal marks.
  const bool thousands = seen.numbers.ambiguous_point() && column.written.value_or(Notation{}).decimal == ',';
  std::optional<double> far;
  if (numbers && !thousands && seen.values.size() > fewest_others) far = seen.ends.far();
  const auto hint = [&](std::string words) {
    guess.hints.push_back(fmt::format("column {} {}", show_text(column.name), words));
  };
  const bool attribute = numbers && !is_target && !is_named(options.numbers, column.name);
  if (far)
    hint(fmt::format("is {} in {}, far from all others; if that is missing, say --missing {}", *far,
                     counted(*far == seen.ends.least ? seen.ends.of_least : seen.ends.of_most, "cell"),
                     *far));
  if (attribute && (seen.codes() || are_long_codes(seen)))
    hint(fmt::format("is read as numbers, as {}; if they are names, say --drop {}", show_text(seen.example),
                     option));
  if (const auto bare = seen.numbers.without_unit(); numbers && bare)
    hint(fmt::format("has {} without {}, as {}: read alike", counted(bare->cells, "number"),
                     show_text(seen.numbers.unit()), show_text(bare->text)));
  if (numbers && seen.numbers.limits() > 0)
    hint(fmt::format("has {} as {}, read as that limit", counted(seen.numbers.limits(), "cell"),
                     show_text(seen.numbers.limit())));
  if (is_target && seen.numbers.clock() != TimeParts::none)
    hint("holds times: predictions and intervals are in seconds");
}

void add_hints_of_all(const std::vector<ColumnScan>& seen, const DraftOptions& options, TableGuess& guess) {
  constexpr std::size_t most_hints = 10;  // of wide tables
  if (const std::size_t more = guess.hints.size(); more > most_hints) {
    guess.hints.resize(most_hints);
    guess.hints.push_back(fmt::format("{} more columns like these", more - most_hints));
  }
  for (const std::string& mark : options.missing)
    if (std::ranges::none_of(seen, [&](const ColumnScan& column) { return column.marks.contains(mark); }))
      guess.hints.push_back(fmt::format("--missing {}: no cell is {}", shell_quoted(mark), show_text(mark)));
}

std::string unused_text(const UnusedColumn& column) {
  const std::string cell = show_text(column.cell);
  const auto values = [&] {
    return fmt::format("{} different values in {}, as {}",
                       column.count == 0 ? "many" : fmt::format("{}", column.count),
                       counted(column.of, "cell"), cell);
  };
  switch (column.reason) {
    case Unused::by_option:
      return "--drop";
    case Unused::described:
      return "left out by the description";
    case Unused::empty:
      return "holds nothing";
    case Unused::mostly_empty:
      return fmt::format("more than half of its cells hold nothing, {} of {}", column.count, column.of);
    case Unused::constant:
      return "the same in every row, as " + cell;
    case Unused::row_number:
      return "counts the rows, as " + cell;
    case Unused::id:
      return "an id, different in every row, as " + cell;
    case Unused::other_dates:
      return "dates in another order than the table's, as " + cell;
    case Unused::text:
      return "text: " + values();
    case Unused::many_values:
      return values() + ": too many for a category of an experiment";
  }
  return "";
}

}  // namespace lacp
