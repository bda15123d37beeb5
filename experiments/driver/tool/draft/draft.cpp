#include "tool/draft/draft.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <exception>
#include <optional>

#include "common/message.hpp"
#include "common/yaml.hpp"
#include "datasets/edges.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/table/csv.hpp"
#include "tool/draft/guess.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// The first rows with this delimiter, without titles above them, which take `skip` lines; none if they do
/// not all have the same number of cells.
Rows first_rows(std::string_view bytes, char delimiter, std::size_t& skip, std::size_t most = 50) {
  const std::string source;
  Rows rows;
  std::vector<std::size_t> lines;
  skip = 0;
  CsvCells cells(bytes, bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0, 1, delimiter, source);
  try {
    while (rows.size() < most && cells.start_record()) {
      rows.emplace_back();
      lines.push_back(cells.line());
      do rows.back().emplace_back(cells.text());
      while (cells.another_cell());
    }
  } catch (const UserError&) {  // quotes that make no sense so
    return {};
  }
  if (rows.size() < most && delimiter != ' ') drop_notes(rows);
  if (const std::size_t titles = delimiter == ' ' ? 0 : count_titles(rows); titles > 0) {
    skip = lines[titles] - 1;
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(titles));
  }
  const auto is_ragged = [&](const auto& row) { return row.size() != rows[0].size(); };
  return std::ranges::any_of(rows, is_ragged) ? Rows{} : rows;
}

bool is_year(std::string_view cell) {
  const long long year = cell.size() == 4 ? parse_integer(cell).value_or(0) : 0;
  return year >= 1800 && year < 2200;
}

/// Whether the numbers of the first row are years in equal steps over numbers of another kind, as in
/// "country,2001,2002": then they are names.
bool begins_with_years(const Rows& rows) {
  std::vector<long long> years;
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    if (!is_number(rows[0][i])) continue;
    if (!is_year(rows[0][i])) return false;
    years.push_back(parse_integer(rows[0][i]).value_or(0));
    const auto below = std::count_if(rows.begin() + 1, rows.end(),
                                     [&](const std::vector<std::string>& row) { return is_year(row[i]); });
    if (2 * static_cast<std::size_t>(below) >= rows.size() - 1) return false;
  }
  for (std::size_t i = 1; i < years.size(); ++i)
    if (const long long step = years[i] - years[i - 1]; step == 0 || step != years[1] - years[0])
      return false;
  return !years.empty() && rows[0].size() > 1 && rows.size() > 2;
}

/// Below which key of `columns` a column stands, and its value there, if it has one. Plain numbers, of which
/// nothing is to be said, stand below none.
std::pair<std::string_view, std::string> key_and_value(const ColumnGuess& guess) {
  const Column& column = guess.column;
  std::vector<std::string> values;
  if (!guess.used) return {"drop", ""};
  if (column.kind == ColumnKind::category) return {"categories", ""};
  if (column.kind == ColumnKind::mean) return {"means", ""};
  if (column.kind == ColumnKind::ordered) {
    for (const std::string& value : column.values) values.push_back(yaml_quoted(value));
    return {"ordered", fmt::format("[{}]", join(values, ", "))};
  }
  if (column.kind == ColumnKind::date) {
    for (const DatePart part : column.parts) values.emplace_back(date_part_name(part));
    return {"dates", fmt::format("[{}]", join(values, ", "))};
  }
  if (guess.why.empty()) return {"", ""};
  const Notation& written = *column.written;
  values.push_back(fmt::format("decimal: {}", written.decimal == ',' ? "comma" : "point"));
  if (!written.unit.empty()) values.push_back("unit: " + yaml_quoted(written.unit));
  if (written.clock != TimeParts::none)
    values.push_back(fmt::format("time: {}", written.clock == TimeParts::minutes ? "minutes" : "hours"));
  if (written.limits != Limits::none)
    values.push_back(fmt::format("limits: {}", written.limits == Limits::half ? "half" : "whole"));
  return {"numbers", fmt::format("{{{}}}", join(values, ", "))};
}

/// Of very many columns of a kind there is one line: a description may not be too long.
std::string columns_text(const TableGuess& guess) {
  constexpr std::size_t many = 1000;
  std::map<std::string_view, std::string> text;
  std::map<std::string_view, std::vector<std::string>> names;
  for (const ColumnGuess& column : guess.columns) {
    const std::string name = yaml_quoted(column.column.name), &why = column.why;
    const auto [key, value] = key_and_value(column);
    names[key].push_back(name);
    text[key] += value.empty()
                     ? fmt::format("    - {}  # {}{}\n", name, why.starts_with("--") ? "" : "guess: ", why)
                     : fmt::format("    {}: {}  # guess: {}\n", name, value, why);
  }
  std::string all;
  for (const std::string_view key : {"drop", "categories", "ordered", "means", "dates", "numbers"}) {
    const bool list = key != "ordered" && key != "dates" && key != "numbers";
    if (list && names[key].size() > many)
      all += fmt::format("  {}:  # guess: {}, by their cells\n    [{}]\n", key,
                         counted(names[key].size(), "column"), join(names[key], ", "));
    else if (!text[key].empty())
      all += fmt::format("  {}:\n{}", key, text[key]);
  }
  return all.empty() ? "" : "columns:\n" + all;
}

std::string missing_text(const TableGuess& guess) {
  if (guess.marks.empty()) return "";
  std::set<std::string> marks;
  for (const std::string& mark : guess.marks) marks.insert(yaml_quoted(mark));
  std::string text =
      fmt::format("missing:\n  marks: [{}]  # guess: {} of these; an empty cell is always missing\n",
                  fmt::join(marks, ", "), counted(guess.missing, "cell"));
  // Filled, not dropped: a model then predicts rows with such cells too.
  text +=
      fmt::format("  do: fill  # guess: {} of {} rows have such a cell; or refuse, drop_rows, drop_columns\n",
                  guess.with_gaps, guess.rows);
  if (guess.of_target().missing > 0)
    text += fmt::format("  drop_rows: [{}]  # the target cannot be filled\n",
                        yaml_quoted(guess.of_target().column.name));
  return text;
}

void add_notes(const TableGuess& guess, const CsvHeader& header, std::vector<std::string>& notes) {
  for (const std::string& name : header.renamed)
    notes.push_back(fmt::format("a column's name occurs again; this one is called {}", show_text(name)));
  const ColumnGuess& target = guess.of_target();
  if (target.missing > 0)
    notes.push_back(fmt::format(
        "{} of {} have no target ({}) and are left out; intervals hold for rows whose target is known",
        target.missing, counted(guess.rows, "row"),
        short_list(std::vector(target.marks.begin(), target.marks.end()))));
  if (guess.two_values)
    notes.push_back(fmt::format(
        "target {} has two values: that is classification, for which intervals of numbers say little",
        show_text(target.column.name)));
  notes.insert(notes.end(), guess.hints.begin(), guess.hints.end());
}

DatasetSource source_of(const fs::path& file) {
  DatasetSource source;
  source.file = file.filename().string();
  source.original = source.table = file;
  return source;
}

}  // namespace

CsvFormat guess_format(std::string_view bytes, const std::string& source, std::size_t* skip) {
  CsvFormat format;
  format.header = false;
  std::size_t titles = 0, titles_if = 0;
  Rows rows = first_rows(bytes, format.delimiter, titles);
  // A cell that is a delimiter, as in "a , b", is none.
  for (const char delimiter : {';', '\t', '|', ' '})
    if (Rows cut = first_rows(bytes, delimiter, titles_if);
        !cut.empty() && cut[0].size() > (rows.empty() ? 1 : rows[0].size()) &&
        std::ranges::find(cut[0], std::string(1, format.delimiter)) == cut[0].end()) {
      rows = std::move(cut);
      format.delimiter = delimiter;
      titles = titles_if;
    }
  read_csv_header(bytes, source, format);  // refuses what is no table
  if (rows.empty()) rows = first_rows(bytes, format.delimiter, titles_if, 1);
  if (skip != nullptr) *skip = titles;
  // Names, if none is a number, or all that are seem to be years, or if one that is none stands above
  // numbers.
  format.header = rows.empty() || std::ranges::none_of(rows[0], is_number) || begins_with_years(rows);
  for (std::size_t i = 0; !format.header && rows.size() > 2 && i < rows[0].size(); ++i)
    format.header =
        !is_number(rows[0][i]) && !is_missing_mark(rows[0][i]) &&
        std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return is_number(row[i]); });
  return format;
}

Draft draft_description(TableBytes table, const std::string& name, const std::string& file,
                        const DraftOptions& given) try {
  DraftOptions options = given;
  options.other_sheets = !table.note.empty();
  std::string& bytes = table.text;
  const std::string source = name + (table.sheet > 0 ? fmt::format(", sheet {}", table.sheet) : "");
  std::vector<std::string> notes;
  if (!table.note.empty()) notes.push_back(table.note);
  std::string edges;
  if (const std::size_t lines = to_utf8(bytes); lines > 0)
    notes.push_back(fmt::format("{} no UTF-8: read as Windows-1252 (Latin-1)",
                                lines == 1 ? "1 line is" : fmt::format("{} lines are", lines)));
  std::size_t skip = 0;
  const CsvFormat format = guess_format(bytes, source, &skip);
  if (skip > 0) {
    bytes = without_first_lines(bytes, skip);
    edges += fmt::format("  skip: {}  # guess: titles stand above the names of the columns\n", skip);
    notes.push_back(fmt::format("{} above the names of the columns {} titles and {} left out",
                                counted(skip, "line"), skip == 1 ? "holds" : "hold",
                                skip == 1 ? "is" : "are"));
  }
  const CsvHeader header = read_csv_header(bytes, source, format);
  // Few tables have totals or notes, so columns are looked at meanwhile.
  TableEnd end;
  std::optional<TableGuess> guessed;
  std::exception_ptr refused;
  const auto look = [&] { guessed = guess_table({bytes, source, format, header}, options); };
  const std::function<void()> find = [&] { end = find_end({bytes, source, format, header}); };
  const std::function<void()> try_to_look = [&] {
    try {
      look();
    } catch (const UserError&) {  // a total may be what is wrong
      refused = std::current_exception();
    }
  };
  do_all(std::array{find, try_to_look}, options.jobs);
  if (end.rows > 0) {
    bytes = without_last_rows(std::move(bytes), format.delimiter, end.rows);
    edges += fmt::format("  skip_last: {}  # guess: {}\n", end.rows, one_line(end.why));
    notes.push_back(end.text());
    look();
  } else if (refused) {
    std::rethrow_exception(refused);
  }
  const TableGuess& guess = *guessed;
  const std::string target = yaml_quoted(guess.of_target().column.name);
  const std::string delimiter =
      table.sheet > 0
          ? fmt::format("  sheet: {}\n", table.sheet)
          : fmt::format("  delimiter: {}  # guess: makes {} in each row\n",
                        yaml_quoted(delimiter_name(format.delimiter)), counted(header.names.size(), "cell"));
  std::string text = fmt::format(
      "# A draft: what says \"guess\" was found by looking at the file, and may be wrong.\n"
      "title: {}  # say what is predicted, and its unit\n"
      "source:\n  file: {}\n"
      "format:\n{}  header: {}  # guess: {} in the first row\n{}{}"
      "target: {}{}\n{}{}",
      target, yaml_quoted(file), delimiter, format.header, format.header ? "names" : "there is a number",
      edges, guess.format, target, options.target.empty() ? "  # guess: the last column of numbers" : "",
      columns_text(guess), missing_text(guess));
  add_notes(guess, header, notes);
  Draft draft{.description = {}, .text = std::move(text), .notes = std::move(notes)};
  draft.description.format = format;
  draft.description.skip = skip;
  draft.description.skip_last = end.rows;
  draft.description.target = {.columns = {guess.of_target().column.name}, .where = "--target"};
  draft.description.columns = guess.used();
  for (const ColumnGuess& column : guess.columns)
    if (!column.used) draft.unused.emplace_back(column.column.name, column.why);
  return draft;
} catch (const UserError& error) {
  if (table.note.empty()) throw;
  user_error("{}; {}", error.what(), table.note);
}

std::string name_after(const fs::path& file) {
  std::string name = file.stem().string();
  if (file.extension() == ".gz") name = fs::path(name).stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '_';
  name.erase(0, name.find_first_not_of('-'));  // an option would begin so
  return name.empty() ? "table" : name;
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

std::string read_pipe(const std::string& name) {
  std::FILE* pipe = name == "-" ? stdin : std::fopen(name.c_str(), "rb");
  std::string text, piece(1 << 16, '\0');
  while (const std::size_t got = pipe == nullptr ? 0 : std::fread(piece.data(), 1, piece.size(), pipe))
    text.append(piece, 0, got);
  if (pipe == nullptr || std::ferror(pipe) != 0)
    user_error("{} cannot be read", name == "-" ? "standard input" : name);
  if (pipe != stdin) std::fclose(pipe);
  return text;
}

Draft describe_table(const fs::path& folder, const std::string& input, DraftOptions options) {
  const fs::path file = input;
  if (input.ends_with(".yaml") || (input != "-" && input.find_first_of("./") == std::string::npos)) {
    Draft described{.description = describe_dataset(open_catalog(folder), input)};
    const DatasetDescription& description = described.description;
    if (!options.target.empty())
      user_error("--target {}: {} says already what is predicted, {}; leave the option out",
                 show_text(options.target), description.yaml.string(), show_text(target_text(description)));
    if (!options.empty())
      user_error(
          "{} says already what the columns are; leave --missing, --drop, --categories, --numbers, --decimal, --date, --below-limit and --sheet out, or write them there",
          description.yaml.string());
    for (const std::string& column : description.drop.columns)
      described.unused.emplace_back(column, "left out by the description");
    return described;
  }
  std::error_code ignored;
  const bool piped = input == "-" || fs::is_fifo(file, ignored);
  if (!piped) require_table(file);
  DatasetSource source = source_of(input == "-" ? "standard input" : file);
  TableBytes table = piped ? TableBytes{.text = read_pipe(input)} : table_in(file, options.sheet);
  options.means = true;
  Draft draft = draft_description(table, source.table.string(), "", options);
  source.contents = std::make_shared<const std::string>(std::move(table.text));
  draft.description.name = name_after(piped ? "table.csv" : file);
  draft.description.yaml = input;
  draft.description.source = std::move(source);
  return draft;
}

void tell_notes(const Draft& draft) {
  for (const auto& [column, why] : draft.unused) note("column {} is not used: {}\n", show_text(column), why);
  for (const std::string& words : draft.notes) note("{}\n", words);
}

}  // namespace lacp
