#include "datasets/draft.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "datasets/column_guess.hpp"
#include "io/yaml.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/data/csv_cells.hpp"

namespace lacp {
namespace {

constexpr std::size_t rows_looked_at = 50;

/// The number of cells that each of the first rows has with this delimiter; 0 if they differ.
std::size_t cells_per_row(std::string_view bytes, char delimiter) {
  const std::string source;
  CsvCells cells(bytes, 0, 1, delimiter, source);
  std::size_t expected = 0;
  try {
    for (std::size_t row = 0; row < rows_looked_at && cells.start_record(); ++row) {
      std::size_t found = 0;
      do cells.skip(), ++found;
      while (cells.another_cell());
      if (expected != 0 && found != expected) return 0;
      expected = found;
    }
  } catch (const UserError&) {  // quotes that make no sense so
    return 0;
  }
  return expected;
}

std::string delimiter_name(char delimiter) {
  return delimiter == '\t' ? "tab" : delimiter == ' ' ? "blanks" : std::string(1, delimiter);
}

std::string list(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(yaml_quoted(name));
  return fmt::format("[{}]", join(quoted, ", "));
}

/// Why a column is left out; "" if it is not.
std::string why_dropped(const ColumnGuess& column) {
  switch (column.kind()) {
    case GuessedKind::row_number:
      return "guess: counts the rows";
    case GuessedKind::constant_text:
      return "guess: the same text in every row";
    case GuessedKind::long_text:
      return "guess: text with more than 64 different values";
    case GuessedKind::empty:
      return "guess: holds nothing";
    default:
      return 2 * column.missing > column.cells ? "guess: more than half of its cells hold nothing" : "";
  }
}

const ColumnGuess& choose_target(const TableGuess& guess, const std::string& target,
                                 const std::string& source) {
  std::vector<std::string> names, numbers;
  const ColumnGuess *last = nullptr, *named = nullptr;
  for (const ColumnGuess& column : guess.columns) {
    if (column.name == trim(target)) named = &column;
    names.push_back(column.name);
    if (column.kind() != GuessedKind::number) continue;
    numbers.push_back(column.name);
    last = &column;
  }
  if (named != nullptr && named->numbers == 0)
    user_error("{}: column {} holds no number, so it cannot be predicted; columns of numbers: {}", source,
               show_text(named->name), numbers.empty() ? "none" : short_list(numbers));
  if (named != nullptr) return *named;
  if (!target.empty())
    user_error("{}: has no column {}{}; its columns: {}", source, show_text(target),
               did_you_mean(target, names), short_list(names));
  if (last == nullptr)
    user_error("{}: has no column of numbers to predict; name one with --target; its columns: {}", source,
               short_list(names));
  return *last;
}

std::string columns_text(const TableGuess& guess, const ColumnGuess& target) {
  std::string drop, categories, dates;
  for (const ColumnGuess& column : guess.columns) {
    const GuessedKind kind = column.kind();
    const std::string dropped = why_dropped(column);
    if (&column == &target) continue;
    if (!dropped.empty())
      drop += fmt::format("    - {}  # {}\n", yaml_quoted(column.name), dropped);
    else if (kind == GuessedKind::category)
      categories += fmt::format("    - {}  # guess: {} different values in {}\n", yaml_quoted(column.name),
                                column.levels.size(), counted(column.cells - column.missing, "cell"));
    else if (kind == GuessedKind::date)
      dates += fmt::format("    {}: [{}weekday, month, year]  # guess: every cell is a date{}\n",
                           yaml_quoted(column.name), column.dates_with_time == column.dates ? "hour, " : "",
                           column.dates_with_time == column.dates ? " with a time" : "");
  }
  std::string text;
  if (!drop.empty()) text += "  drop:\n" + drop;
  if (!categories.empty()) text += "  categories:\n" + categories;
  if (!dates.empty()) text += "  dates:\n" + dates;
  return text.empty() ? "" : "columns:\n" + text;
}

std::string missing_text(const TableGuess& guess, const ColumnGuess& target) {
  std::set<std::string> marks;
  std::size_t cells = 0, rows = 0;
  std::vector<bool> used;
  for (const ColumnGuess& column : guess.columns) {
    used.push_back(why_dropped(column).empty() || &column == &target);
    if (!used.back()) continue;
    cells += column.missing;
    for (const auto& [mark, times] : column.marks) marks.insert(mark);
  }
  if (cells == 0) return "";
  for (const std::vector<bool>& row : guess.gaps) {
    bool gap = false;
    for (std::size_t i = 0; i < row.size(); ++i) gap = gap || (row[i] && used[i]);
    rows += gap ? 1 : 0;
  }
  std::string text =
      fmt::format("missing:\n  marks: {}  # guess: {} of these; an empty cell is always missing\n",
                  list({marks.begin(), marks.end()}), counted(cells, "cell"));
  // Filled, not dropped: a model then predicts rows with such cells too.
  text +=
      fmt::format("  do: fill  # guess: {} of {} rows have such a cell; or refuse, drop_rows, drop_columns\n",
                  rows, guess.rows);
  if (target.missing > 0)
    text += fmt::format("  drop_rows: {}  # the target cannot be filled\n", list({target.name}));
  return text;
}

}  // namespace

CsvFormat guess_format(std::string_view bytes, const std::string& source) {
  CsvFormat format;
  std::size_t most = 1;
  for (const char delimiter : {',', ';', '\t', '|', ' '})
    if (const std::size_t cells = cells_per_row(bytes, delimiter); cells > most)
      most = cells, format.delimiter = delimiter;
  format.header = false;
  const CsvHeader columns = read_csv_header(bytes, source, format);  // c1, c2, …
  CsvCells cells(bytes, columns.offset, columns.line, format.delimiter, source);
  format.header = true;
  cells.start_record();
  do {
    double value = 0;
    bool out_of_range = false;
    if (parse_number(cells.text(), value, out_of_range)) format.header = false;
  } while (cells.another_cell());
  return format;
}

std::string draft_description(std::string_view bytes, const std::string& source, const std::string& file,
                              const std::string& target) {
  const CsvFormat format = guess_format(bytes, source);
  const CsvHeader header = read_csv_header(bytes, source, format);
  const TableGuess guess = guess_columns({bytes, source, format, header});
  const ColumnGuess& chosen = choose_target(guess, target, source);
  return fmt::format(
      "# A draft: what says \"guess\" was found by looking at the file, and may be wrong.\n"
      "title: {}  # say what is predicted, and its unit\n"
      "source:\n  file: {}\n"
      "format:\n  delimiter: {}  # guess: makes {} in each row\n  header: {}  # guess: {} in the first row\n"
      "target: {}{}\n{}{}",
      yaml_quoted(chosen.name), yaml_quoted(file), yaml_quoted(delimiter_name(format.delimiter)),
      counted(header.names.size(), "cell"), format.header, format.header ? "no number" : "there is a number",
      yaml_quoted(chosen.name), target.empty() ? "  # guess: the last column of numbers" : "",
      columns_text(guess, chosen), missing_text(guess, chosen));
}

}  // namespace lacp
