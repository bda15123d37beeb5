#include <map>
#include <set>

#include "datasets/catalog.hpp"
#include "datasets/load.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/data/split.hpp"

namespace lacp {
namespace {

/// Above 2^53 doubles skip whole numbers: identifiers of 17 digits, say, become equal. The attributes of
/// which that is true, with what to say about each.
std::map<std::string, std::string> find_blurred(const DatasetDescription& description,
                                                const LoadedDataset& loaded) {
  constexpr double all_whole = 9007199254740992.0;
  std::map<std::string, std::string> blurred;
  for (std::size_t i = 0; description.source && i < loaded.data.X.n_rows; ++i) {
    if (!(loaded.data.X.row(i).max() > all_whole)) continue;
    const std::string& name = loaded.data.attributes[i];
    const std::string file = description.source->table.string(),
                      bytes = table_alone(read_file(file), description);
    const CsvHeader header = read_csv_header(bytes, file, description.format);
    const CsvSource table{bytes, file, description.format, header};
    std::set<std::string> numbers;
    std::set<double> doubles;
    for (const auto& row : read_texts(table, {column_named(table, name, "")}, loaded.table.lines)) {
      const bool whole = row[0].find_first_not_of("0123456789") == std::string::npos;
      if (const auto value = whole ? parse_double(row[0]) : std::nullopt) {
        numbers.insert(row[0]);
        doubles.insert(*value);
      }
    }
    if (doubles.size() < numbers.size())
      blurred[name] = fmt::format(
          "{}: {} different numbers are {} as doubles, which hold 15 digits; leave the column out, or shorten its numbers",
          name, numbers.size(), doubles.size());
  }
  return blurred;
}

std::string line_text(std::string_view label, const std::string& value) {
  return fmt::format("{:<16}{}", label, value);
}

/// Names as they are: all of a few, else the first and the number.
std::string some(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  std::vector<std::string> shown;
  for (const std::string& name : names)
    if (shown.size() < most) shown.push_back(one_line(name));
  return join(shown, ", ") + (names.size() > most ? fmt::format(", ... ({} in all)", names.size()) : "");
}

/// "weight (kg)", "finish (seconds)", "x".
std::string name_with_unit(const Column& column) {
  const Notation written = column.written.value_or(Notation{});
  const std::string unit = written.clock != TimeParts::none ? "seconds" : written.unit;
  const std::string in_brackets = fmt::format("({})", unit);
  if (unit.empty() || column.name.ends_with(in_brackets)) return column.name;
  return column.name + " " + in_brackets;
}

/// What becomes of a cell that holds nothing.
std::string filling(const Column& column) {
  if (column.kind == ColumnKind::category) return "the share of each category among training rows";
  return column.kind == ColumnKind::mean ? "the mean of all codes" : "the mean over training rows";
}

/// "category        season: 1, 2, 3, 4".
std::string column_line(const Column& column) {
  const auto text = [&](std::string_view label, const std::vector<std::string>& values) {
    return line_text(label, fmt::format("{}: {}", one_line(column.name), one_line(join(values, ", "))));
  };
  std::vector<std::string> values;
  if (column.kind == ColumnKind::category) return text("category", column.values);
  if (column.kind == ColumnKind::ordered) {
    for (const std::string& value : column.values)
      values.push_back(fmt::format("{} = {}", value, values.size()));
    return text("ordered", values);
  }
  if (column.kind == ColumnKind::mean)
    return line_text("mean of target", fmt::format("{}, by its {}", one_line(column.name),
                                                   counted(column.values.size(), "different value")));
  for (const DatePart part : column.parts) values.emplace_back(date_part_name(part));
  if (column.order != DateOrder::iso)
    values.back() += fmt::format(" (the {} first)", column.order == DateOrder::day_first ? "day" : "month");
  return text("date", values);
}

std::string refusal(const DatasetDescription& description, const LoadedDataset& loaded) try {
  if (loaded.missing.cells > 0) return loaded.missing.first;
  refuse_means(description);
  refuse_unusable(description, loaded.data.y, fewest_rows);
  return "";
} catch (const UserError& error) {
  return error.what();
}

}  // namespace

std::vector<std::string> column_lines(const DatasetDescription& description, const LoadedDataset& loaded) {
  std::vector<std::string> lines, numbers;
  std::map<std::string, std::vector<std::string>> filled;  // by what they are filled with
  const std::vector<Column>& columns = loaded.columns.attributes;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (loaded.table.filled[i] > 0)
      filled[filling(columns[i])].push_back(
          fmt::format("{} ({})", columns[i].name, counted(loaded.table.filled[i], "missing cell")));
    if (columns[i].kind == ColumnKind::number)
      numbers.push_back(name_with_unit(columns[i]));
    else
      lines.push_back(column_line(columns[i]));
  }
  if (!numbers.empty()) lines.insert(lines.begin(), line_text("numbers", some(numbers)));
  for (const auto& [with, names] : filled)
    lines.push_back(line_text("filled", fmt::format("{}, with {}", some(names), with)));
  if (!description.drop.columns.empty())
    lines.push_back(line_text("left out", some(description.drop.columns)));
  if (const auto& dropped = loaded.table.dropped_columns; !dropped.empty())
    lines.push_back(line_text("dropped columns", some(dropped) + ", which have missing cells"));
  if (loaded.table.dropped_rows > 0)
    lines.push_back(
        line_text("dropped rows", fmt::format("{}, which have missing cells", loaded.table.dropped_rows)));
  return lines;
}

DatasetCheck check_dataset(const DatasetDescription& description) {
  Stream stream({.seed = 1, .dataset = description.name, .run = 0, .method = "", .purpose = "check"});
  LoadedDataset loaded;
  if (is_synthetic(description))
    loaded.data = generate_synthetic(description, stream);
  else
    loaded = load_for_check(description);
  const Dataset& data = loaded.data;
  DatasetCheck check{.rows = data.y.n_elem,
                     .attributes = data.X.n_rows,
                     .text = fmt::format("{}: {}\n", description.name, description.title),
                     .refusal = refusal(description, loaded)};
  const auto line = [&](std::string_view label, const std::string& value) {
    check.text += "  " + line_text(label, value) + "\n";
  };
  if (description.source) {
    line("file", description.source->table.string());
    line("target", target_text(description));
  } else {
    line("generated", fmt::format("noise profile {}, one draw", description.synthetic->profile));
  }
  line("rows", fmt::format("{}", check.rows));
  line("columns", counted(check.attributes, "attribute") + " and the target");
  for (const std::string& words : column_lines(description, loaded)) check.text += "  " + words + "\n";
  const arma::vec y = data.y.elem(arma::find_finite(data.y));
  if (!y.empty())
    line("target range", fmt::format("{:.6g} to {:.6g}, mean {:.6g}", y.min(), y.max(), mean_of(y)));
  const std::map<std::string, std::string> blurred = find_blurred(description, loaded);
  std::vector<std::string> constants;
  for (std::size_t i = 0; i < data.X.n_rows; ++i)
    if (arma::all(data.X.row(i) == data.X(i, 0)) && !blurred.contains(data.attributes[i]))
      constants.push_back(data.attributes[i]);
  line("constants", constants.empty() ? "none" : join(constants, ", "));
  for (const auto& [name, words] : blurred) line("too long", words);
  line("duplicate rows", fmt::format("{}", find_repeats(data.X, data.y).copies.size()));
  line("missing cells", fmt::format("{}", loaded.missing.cells));
  return check;
}

}  // namespace lacp
