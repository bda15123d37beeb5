#include "tool/draft/draft.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <optional>

#include "common/message.hpp"
#include "common/yaml.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "table/csv.hpp"
#include "table/sheets/edges.hpp"
#include "tool/draft/guess.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// Below which key of `columns` a column stands, and its value there, if it has one. Plain numbers, of which
/// nothing is to be said, stand below none.
std::pair<std::string_view, std::string> key_and_value(const ColumnGuess& guess) {
  const Column& column = guess.column;
  std::vector<std::string> values;
  if (guess.unused) return {"drop", ""};
  if (column.kind == ColumnKind::category) return {"categories", ""};
  if (column.kind == ColumnKind::mean) return {"means", ""};
  if (column.kind == ColumnKind::list) return {"lists", yaml_quoted(std::string(1, column.separator))};
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
  if (written.limits) values.emplace_back("limits: whole");
  return {"numbers", fmt::format("{{{}}}", join(values, ", "))};
}

/// The yaml of a draft, line by line.
using DraftText = std::vector<DraftLine>;

void add_columns(const TableGuess& guess, DraftText& text) {
  std::map<std::string_view, DraftText> lines;
  for (const ColumnGuess& column : guess.columns) {
    const std::string name = yaml_quoted(column.column.name);
    const auto [key, value] = key_and_value(column);
    lines[key].push_back({value.empty() ? "    - " + name : fmt::format("    {}: {}", name, value),
                          column.unused ? unused_text(*column.unused) : column.why,
                          !column.unused || column.unused->reason != Unused::by_option});
  }
  lines.erase("");
  if (!lines.empty()) text.push_back({"columns:"});
  for (const std::string_view key : {"drop", "categories", "lists", "ordered", "means", "dates", "numbers"}) {
    if (!lines.contains(key)) continue;
    text.push_back({fmt::format("  {}:", key)});
    text.insert(text.end(), lines[key].begin(), lines[key].end());
  }
}

void add_missing(const TableGuess& guess, DraftText& text) {
  if (guess.marks.empty()) return;
  std::set<std::string> marks;
  for (const std::string& mark : guess.marks) marks.insert(yaml_quoted(mark));
  text.push_back({"missing:"});
  text.push_back({fmt::format("  marks: [{}]", fmt::join(marks, ", ")), "besides empty cells"});
  // Filled, not dropped: a model then predicts rows with such cells too.
  text.push_back({"  do: fill", "or refuse, drop_rows, drop_columns"});
  if (guess.of_target().missing > 0)
    text.push_back({fmt::format("  drop_rows: [{}]", yaml_quoted(guess.of_target().column.name)),
                    "the target cannot be filled", false});
}

void add_notes(const TableGuess& guess, const CsvHeader& header, std::vector<std::string>& notes) {
  for (const std::string& name : header.renamed)
    notes.push_back(fmt::format("a column's name occurs again; this one is called {}", show_text(name)));
  const ColumnGuess& target = guess.of_target();
  if (target.missing > 0)
    notes.push_back(fmt::format("{} of {} have no target ({}) and are left out", target.missing,
                                counted(guess.rows, "row"),
                                short_list(std::vector(target.marks.begin(), target.marks.end()))));
  if (guess.two_values)
    notes.push_back(fmt::format("target {} has two values: intervals of numbers say little about classes",
                                show_text(target.column.name)));
  notes.insert(notes.end(), guess.hints.begin(), guess.hints.end());
}

DatasetSource source_of(const fs::path& file) {
  DatasetSource source;
  source.file = file.filename().string();
  source.path = file;
  return source;
}

}  // namespace

std::string DraftLine::text() const {
  if (why.empty()) return yaml + "\n";
  return fmt::format("{}  # {}{}\n", yaml, guessed ? "guess: " : "", why);
}

Draft draft_description(TableBytes table, const std::string& name, const std::string& file,
                        const DraftOptions& options) try {
  std::string& bytes = table.text;
  const std::string source = name + (table.sheet > 0 ? fmt::format(", sheet {}", table.sheet) : "");
  std::vector<std::string> notes;
  if (!table.note.empty()) notes.push_back(table.note);
  if (const std::size_t lines = to_utf8(bytes); lines > 0)
    notes.push_back(fmt::format("{} no UTF-8: read as Windows-1252 (Latin-1)",
                                lines == 1 ? "1 line is" : fmt::format("{} lines are", lines)));
  std::size_t skip = 0;
  const CsvFormat format = guess_format(bytes, source, options, skip);
  if (skip > 0) bytes = without_first_lines(bytes, skip);
  if (skip > 0 && !options.skip) {
    notes.push_back(fmt::format("{} above the names of the columns {} titles and {} left out",
                                counted(skip, "line"), skip == 1 ? "holds" : "hold",
                                skip == 1 ? "is" : "are"));
  }
  const CsvHeader header = read_csv_header(bytes, source, format);
  const TableEnd end = options.all_rows ? TableEnd{} : find_end({bytes, source, format, header});
  bytes = without_last_rows(std::move(bytes), format.delimiter, end.rows);
  if (end.rows > 0) notes.push_back(end.text() + "; --all-rows keeps them");
  const TableGuess guess = guess_table({bytes, source, format, header}, options);
  const std::string target = yaml_quoted(guess.of_target().column.name);
  DraftText text;
  text.push_back({"# A draft: what says \"guess\" was found by looking at the file, and may be wrong."});
  text.push_back({fmt::format("title: {}", target), "say what is predicted, and its unit", false});
  text.push_back({fmt::format("source:\n  file: {}\nformat:", yaml_quoted(file))});
  if (table.sheet > 0)
    text.push_back({fmt::format("  sheet: {}", table.sheet)});
  else
    text.push_back({fmt::format("  delimiter: {}", yaml_quoted(delimiter_name(format.delimiter))),
                    options.delimiter.empty() ? "by the first rows" : "--delimiter",
                    options.delimiter.empty()});
  text.push_back({fmt::format("  header: {}", format.header), "by the first row"});
  if (skip > 0)
    text.push_back({fmt::format("  skip: {}", skip), options.skip ? "--skip" : "titles", !options.skip});
  if (end.rows > 0) text.push_back({fmt::format("  skip_last: {}", end.rows), one_line(end.why)});
  text.insert(text.end(), guess.format.begin(), guess.format.end());
  text.push_back({"target: " + target, options.target.empty() ? "the last column of numbers" : "",
                  options.target.empty()});
  add_columns(guess, text);
  add_missing(guess, text);
  add_notes(guess, header, notes);
  Draft draft{.description = {}, .text = join_each(text, "", &DraftLine::text), .notes = std::move(notes)};
  draft.description.format = format;
  draft.description.skip = skip;
  draft.description.skip_last = end.rows;
  draft.description.target = {.columns = {guess.of_target().column.name}, .where = "--target"};
  draft.description.columns = guess.used();
  for (const ColumnGuess& column : guess.columns)
    if (column.unused) draft.unused.push_back(*column.unused);
  return draft;
} catch (const UserError& error) {
  if (table.note.empty()) throw;
  throw UserError(fmt::format("{}; {}", error.what(), table.note), error.fault());
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
  if (!fs::exists(file, error)) user_error("{}: no such file", file.string());
  if (!fs::is_regular_file(file, error)) user_error("{}: is not a file", file.string());
  for (const char* ending : {".zip", ".tar", ".tar.gz", ".tgz", ".yaml"})
    if (file.string().ends_with(ending))
      user_error("{}: is not a table; expected csv, csv.gz or xlsx", file.string());
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
      user_error("--target {}: {} says what is predicted, {}; leave the option out",
                 show_text(options.target), description.yaml.string(), show_text(target_text(description)));
    if (!options.empty())
      user_error("{} describes the table: options such as --drop and --missing belong there",
                 description.yaml.string());
    for (const std::string& column : description.drop.columns)
      described.unused.push_back({column, Unused::described});
    return described;
  }
  std::error_code ignored;
  const bool piped = input == "-" || fs::is_fifo(file, ignored);
  if (!piped) require_table(file);
  DatasetSource source = source_of(input == "-" ? "standard input" : file);
  TableBytes table = piped ? TableBytes{.text = read_pipe(input)} : table_in(file, options.sheet);
  options.means = true;
  Draft draft = draft_description(table, source.path.string(), "", options);
  if (draft.description.columns->attributes.empty() && !draft.unused.empty())
    user_error("{}: no column to predict {} from; {}: {}{}", source.path.string(),
               show_text(draft.description.target.columns.front()), show_text(draft.unused[0].name),
               unused_text(draft.unused[0]),
               draft.unused.size() == 1 ? "" : fmt::format(" ({} in all)", draft.unused.size()));
  source.contents = std::make_shared<const std::string>(std::move(table.text));
  draft.description.name = name_after(piped ? "table.csv" : file);
  draft.description.yaml = input;
  draft.description.source = std::move(source);
  return draft;
}

void tell_notes(const Draft& draft) {
  for (const UnusedColumn& column : draft.unused)
    note("column {} is not used: {}\n", show_text(column.name), unused_text(column));
  for (const std::string& words : draft.notes) note("{}\n", words);
}

}  // namespace lacp
