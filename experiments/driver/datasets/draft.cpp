#include "datasets/draft.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "datasets/catalog.hpp"
#include "datasets/fetch.hpp"
#include "io/yaml.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/data/column.hpp"
#include "lacp/data/csv_cells.hpp"

namespace lacp {
namespace fs = std::filesystem;

namespace {

/// What a column seems to hold.
enum class GuessedKind { number, row_number, category, date, constant_text, long_text, empty };

/// What was seen in the cells of one column.
struct ColumnGuess {
  std::string name;
  std::size_t cells = 0, numbers = 0, dates = 0, dates_with_time = 0;
  std::size_t missing = 0;                   ///< cells with a mark
  std::map<std::string, std::size_t> marks;  ///< how often each
  std::map<std::string, std::size_t>
      texts;  ///< other cells that are no numbers, as long as they may be levels
  std::map<std::string, std::size_t> levels;  ///< all cells but missing ones, as long as they may be levels
  bool counts_rows = true;                    ///< each cell is one more than that above
  double last = 0;

  GuessedKind kind() const;
};

struct TableGuess {
  std::vector<ColumnGuess> columns;
  std::size_t rows = 0;
  std::vector<std::vector<bool>> gaps;  ///< of the rows with a mark: which columns have one
};

/// One more than may be, so that it shows that there are too many.
void count(std::map<std::string, std::size_t>& texts, std::string_view text) {
  if (texts.size() <= most_levels) ++texts[std::string(text)];
}

void look(ColumnGuess& column, std::string_view cell) {
  if (is_missing_mark(cell)) {
    ++column.missing, ++column.marks[std::string(cell)];
    return;
  }
  count(column.levels, cell);
  double value = 0;
  bool out_of_range = false;
  if (parse_number(cell, value, out_of_range) && std::isfinite(value)) {
    column.counts_rows = column.counts_rows && (column.numbers == 0 || value == column.last + 1.0);
    column.last = value;
    ++column.numbers;
    return;
  }
  count(column.texts, cell);
  if (const auto date = parse_date(cell)) {
    ++column.dates;
    column.dates_with_time += date->has_time ? 1 : 0;
  }
}

/// Nearly all cells are numbers, and the others say the same few things: "unknown", ".".
bool has_own_marks(const ColumnGuess& column) {
  const std::size_t others = column.cells - column.missing - column.numbers;
  return others > 0 && column.texts.size() <= 2 && 10 * others <= column.numbers;
}

GuessedKind ColumnGuess::kind() const {
  const std::size_t known = cells - missing;
  if (known == 0) return GuessedKind::empty;
  if (numbers == known)
    return counts_rows && known > 20 && missing == 0 ? GuessedKind::row_number : GuessedKind::number;
  if (dates == known) return GuessedKind::date;
  if (levels.size() == 1) return GuessedKind::constant_text;
  return levels.size() <= most_levels ? GuessedKind::category : GuessedKind::long_text;
}

/// Looks at every cell. UserError if a row has too few or too many.
TableGuess guess_columns(const CsvSource& table) {
  TableGuess guess;
  const std::size_t count = table.header.names.size();
  for (const std::string& name : table.header.names)
    guess.columns.push_back({.name = name, .marks = {}, .texts = {}, .levels = {}});
  std::vector<std::vector<bool>> gaps(1, std::vector<bool>(count));
  const auto reader = [&](std::string_view cell, std::size_t index, std::size_t) -> std::optional<double> {
    ColumnGuess& column = guess.columns[index];
    const std::size_t before = column.missing;
    ++column.cells;
    look(column, cell);
    gaps.back()[index] = column.missing > before;
    if (index + 1 < count) return 0.0;
    ++guess.rows;
    if (std::ranges::find(gaps.back(), true) != gaps.back().end()) gaps.emplace_back(count);
    return std::nullopt;  // nothing need be kept
  };
  read_csv(table, std::vector<CellUse>(count, CellUse::text), reader);
  gaps.pop_back();
  guess.gaps = std::move(gaps);
  for (ColumnGuess& column : guess.columns)
    if (has_own_marks(column))
      for (const auto& [text, times] : column.texts) column.marks[text] += times, column.missing += times;
  return guess;
}

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

namespace {

DatasetSource source_of(const fs::path& file) {
  DatasetSource source;
  source.file = file.filename().string();
  source.gzip = file.extension() == ".gz";
  source.sheet = file.extension() == ".xlsx" ? 1 : 0;
  return source;
}

}  // namespace

std::string name_after(const fs::path& file) {
  std::string name = file.stem().string();
  if (file.extension() == ".gz") name = fs::path(name).stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '_';
  return name;
}

void require_table(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) user_error("{}: is not there, or is no file", file.string());
  for (const char* ending : {".zip", ".tar", ".tar.gz", ".tgz", ".yaml"})
    if (file.string().ends_with(ending))
      user_error(
          "{}: is not a table; expected csv, csv.gz or xlsx; take the table out of an archive, or describe it as datasets/README.md says (source.member)",
          file.string());
}

std::string read_table(const fs::path& file, const fs::path& cache, std::string& source_name) {
  DatasetDescription description;
  DatasetSource source = source_of(file);
  find_places(source, file.parent_path(), cache);
  description.source = source;
  if (source.table != source.original) fetch_dataset(description, {});
  source_name = source.table.string();
  return read_file(source.table);
}

DescribedTable describe_table(const fs::path& folder, const std::string& input, const std::string& target) {
  const fs::path file = input;
  if (input.ends_with(".yaml") || input.find_first_of("./") == std::string::npos) {
    DatasetDescription description = describe_dataset(open_catalog(folder), input);
    if (!target.empty())
      user_error("--target {}: {} says already what is predicted, {}; leave the option out",
                 show_text(target), description.yaml.string(), show_text(target_text(description)));
    return {std::move(description), ""};
  }
  require_table(file);
  DatasetSource source = source_of(file);
  source.original = source.table = file;
  const bool made = source.gzip || source.sheet > 0;
  source.contents = std::make_shared<const std::string>(made ? unpacked_table(source, {}) : read_file(file));
  std::string draft = draft_description(*source.contents, input, "table.csv", target);
  DatasetDescription description = parse_description(draft, "draft for " + input);
  description.name = name_after(file);
  description.source = std::move(source);
  return {std::move(description), std::move(draft)};
}

}  // namespace lacp
