#include "datasets/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>

#include "datasets/load.hpp"
#include "datasets/synthetic.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/data/csv.hpp"
#include "lacp/data/split.hpp"

namespace lacp {
namespace {

std::vector<std::string> find_constants(const Dataset& data) {
  std::vector<std::string> constants;
  for (std::size_t i = 0; i < data.X.n_rows; ++i) {
    bool constant = true;
    for (std::size_t n = 1; constant && n < data.X.n_cols; ++n) constant = data.X(i, n) == data.X(i, 0);
    if (constant) constants.push_back(data.attributes[i]);
  }
  return constants;
}

/// Of one column, whole numbers as the file has them, and as doubles.
struct Distinct {
  std::set<std::string, std::less<>> texts;
  std::set<double> doubles;
};

Distinct distinct_numbers(const DatasetDescription& description, const std::string& attribute) {
  const std::string file = description.source->table.string(), bytes = read_file(file);
  const CsvHeader header = read_csv_header(bytes, file, description.format);
  const auto column = std::ranges::find(header.names, attribute) - header.names.begin();
  CsvCells cells(bytes, header.offset, header.line, description.format.delimiter, file);
  Distinct distinct;
  while (cells.start_record()) {
    for (std::ptrdiff_t i = 0; i < column; ++i) cells.skip(), cells.another_cell();
    const std::string text(cells.text());
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    double value = 0;
    bool out_of_range = false;
    if (std::ranges::all_of(text, is_digit) && parse_number(text, value, out_of_range))
      distinct.texts.insert(text), distinct.doubles.insert(value);
    while (cells.another_cell()) cells.skip();
  }
  return distinct;
}

/// Above 2^53 doubles skip whole numbers: long identifiers become equal.
std::vector<BlurredColumn> find_blurred(const DatasetDescription& description, const Dataset& data) {
  constexpr double all_whole = 9007199254740992.0;
  std::vector<BlurredColumn> blurred;
  for (std::size_t i = 0; description.source && i < data.X.n_rows; ++i) {
    if (!(data.X.row(i).max() > all_whole)) continue;
    const Distinct distinct = distinct_numbers(description, data.attributes[i]);
    if (distinct.doubles.size() < distinct.texts.size())
      blurred.push_back({data.attributes[i], distinct.texts.size(), distinct.doubles.size()});
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

/// "category        season: 1, 2, 3, 4".
std::string column_line(const Column& column) {
  const auto text = [&](std::string_view label, const std::vector<std::string>& values) {
    return line_text(label, fmt::format("{}: {}", one_line(column.name), one_line(join(values, ", "))));
  };
  std::vector<std::string> values;
  if (column.kind == ColumnKind::category) return text("category", column.levels);
  if (column.kind == ColumnKind::ordered) {
    for (const std::string& level : column.levels)
      values.push_back(fmt::format("{} = {}", level, values.size()));
    return text("ordered", values);
  }
  if (column.kind == ColumnKind::mean)
    return line_text("mean of target", fmt::format("{}, by its {}", one_line(column.name),
                                                   counted(column.levels.size(), "different value")));
  for (const DatePart part : column.parts) values.emplace_back(date_part_name(part));
  if (column.order != DateOrder::iso)
    values.back() += fmt::format(" (the {} first)", column.order == DateOrder::day_first ? "day" : "month");
  return text("date", values);
}

void describe_target(const arma::vec& y, DatasetCheck& check) {
  const arma::vec known = y.elem(arma::find_finite(y));
  if (known.is_empty()) return;
  check.target_min = known.min();
  check.target_mean = mean_of(known);
  check.target_max = known.max();
}

std::string refusal(const DatasetDescription& description, const DatasetCheck& check) {
  if (check.missing.cells > 0) return check.missing.first;
  try {
    refuse_means(description);
  } catch (const UserError& error) {
    return error.what();
  }
  if (check.rows < fewest_rows)
    return fmt::format("has {}; an experiment needs at least {}", counted(check.rows, "row"), fewest_rows);
  if (check.target_min == check.target_max)
    return fmt::format("{}: the target is {} in every row; there is nothing to predict",
                       description.target.where, check.target_min);
  return "";
}

}  // namespace

std::vector<std::string> column_lines(const DatasetDescription& description, const LoadedDataset& loaded) {
  std::vector<std::string> lines, numbers, filled;
  const std::vector<Column>& columns = loaded.columns.attributes;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (loaded.table.filled[i] > 0)
      filled.push_back(
          fmt::format("{} ({})", columns[i].name, counted(loaded.table.filled[i], "missing cell")));
    if (columns[i].kind == ColumnKind::number)
      numbers.push_back(columns[i].written && !columns[i].written->unit.empty()
                            ? fmt::format("{} ({})", columns[i].name, columns[i].written->unit)
                            : columns[i].name);
    else
      lines.push_back(column_line(columns[i]));
  }
  if (!numbers.empty()) lines.insert(lines.begin(), line_text("numbers", some(numbers)));
  if (!filled.empty())
    lines.push_back(line_text("filled", some(filled) + ", with the mean over training rows"));
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
  DatasetCheck check;
  Stream stream({.seed = 1, .dataset = description.name, .run = 0, .method = "", .purpose = "check"});
  Dataset data;
  if (is_synthetic(description)) {
    data = generate_synthetic(description, stream);
  } else {
    LoadedDataset loaded = load_for_check(description);
    check.columns = column_lines(description, loaded);
    check.missing = loaded.missing;
    data = std::move(loaded.data);
  }
  check.rows = data.y.n_elem;
  check.attributes = data.X.n_rows;
  check.constants = find_constants(data);
  check.blurred = find_blurred(description, data);
  std::erase_if(check.constants, [&](const std::string& name) {
    return std::ranges::find(check.blurred, name, &BlurredColumn::name) != check.blurred.end();
  });
  check.duplicates = find_repeats(data.X, data.y).copies.size();
  describe_target(data.y, check);
  check.refusal = refusal(description, check);
  return check;
}

std::string check_text(const DatasetDescription& description, const DatasetCheck& check) {
  std::string text = fmt::format("{}: {}\n", description.name, description.title);
  const auto line = [&](std::string_view label, const std::string& value) {
    text += "  " + line_text(label, value) + "\n";
  };
  if (description.source) {
    line("file", description.source->table.string());
    line("target", target_text(description));
  } else {
    line("generated", fmt::format("noise profile {}, one draw", description.synthetic->profile));
  }
  line("rows", fmt::format("{}", check.rows));
  line("columns", counted(check.attributes, "attribute") + " and the target");
  for (const std::string& words : check.columns) text += "  " + words + "\n";
  line("target range",
       fmt::format("{:.6g} to {:.6g}, mean {:.6g}", check.target_min, check.target_max, check.target_mean));
  line("constants", check.constants.empty() ? "none" : join(check.constants, ", "));
  for (const auto& [name, numbers, doubles] : check.blurred)
    line(
        "too long",
        fmt::format(
            "{}: {} different numbers are {} as doubles, which hold 15 digits; leave the column out, or shorten its numbers",
            name, numbers, doubles));
  line("duplicate rows", fmt::format("{}", check.duplicates));
  line("missing cells", fmt::format("{}", check.missing.cells));
  return text;
}

}  // namespace lacp
