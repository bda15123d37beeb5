#include "datasets/load.hpp"

#include <algorithm>
#include <numeric>

#include "datasets/catalog.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "table/sheets/xlsx.hpp"

namespace lacp {
namespace {

/// A name stands for the column of that name, and otherwise for its number.
std::size_t column_of(const std::string& column, const std::string& where, const CsvSource& table) {
  const std::vector<std::string>& names = table.header.names;
  const auto found = std::ranges::find(names, trim(column));
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto count = static_cast<long long>(names.size());
  if (const auto number = parse_integer(column)) {
    if (*number >= 1 && *number <= count) return static_cast<std::size_t>(*number - 1);
    if (*number <= -1 && *number >= -count) return static_cast<std::size_t>(count + *number);
    user_error("{}: found {}; {} has columns 1 to {}, or -1 to -{}", where, *number, table.name, count,
               count);
  }
  user_error("{}: {} has no column {}{}; its columns: {}", where, table.name, show_text(column),
             did_you_mean(column, names), short_list(names));
}

/// What a description makes of the columns of a table.
Columns choose_columns(const DatasetDescription& description, const CsvSource& table) {
  const std::vector<std::string>& names = table.header.names;
  std::vector<std::size_t> targets;
  for (const std::string& column : description.target.columns)
    targets.push_back(column_of(column, description.target.where, table));
  for (const std::size_t i : targets)
    if (std::ranges::count(targets, i) > 1)
      user_error("{}: {} is named twice", description.target.where, show_text(names[i]));
  const auto is_target = [&](std::size_t i) { return std::ranges::find(targets, i) != targets.end(); };
  const auto find = [&](const ColumnNames& list) {
    std::vector<std::size_t> found;
    for (const std::string& column : list.columns) {
      found.push_back(column_of(column, list.where, table));
      if (is_target(found.back())) user_error("{}: {} is the target", list.where, show_text(column));
    }
    return found;
  };
  std::vector<bool> used(names.size(), description.use.columns.empty());
  for (const std::size_t i : find(description.use)) used[i] = true;
  for (const std::size_t i : find(description.drop)) used[i] = false;
  for (const std::size_t i : targets) used[i] = false;
  const auto& [marks, otherwise, fill, drop_rows] = description.missing;
  std::vector<Column> all;
  for (const std::string& name : names) {
    all.push_back({.name = name, .if_missing = otherwise});
    if (description.decimal) all.back().written = Notation{.decimal = *description.decimal};
  }
  const auto attribute = [&](std::size_t i, const std::string& where) -> Column& {
    if (is_target(i)) user_error("{}: {} is the target", where, show_text(names[i]));
    if (!used[i])
      user_error("{}: {} is not an attribute, going by columns.{}", where, show_text(names[i]),
                 description.use.columns.empty() ? "drop" : "use");
    return all[i];
  };
  for (const auto& [name, how, where] : description.special) {
    const std::size_t i = column_of(name, where, table);
    const bool number = how.kind == ColumnKind::number;
    Column& column = number && is_target(i) ? all[i] : attribute(i, where);
    if (column.kind != ColumnKind::number)
      user_error("{}: {} is described twice", where, show_text(names[i]));
    const IfMissing if_missing = column.if_missing;
    column = how;
    column.name = names[i];
    column.if_missing = if_missing;
    if (column.kind == ColumnKind::date) column.order = description.date;
  }
  for (const std::size_t i : find(fill)) attribute(i, fill.where).if_missing = IfMissing::fill;
  bool drop_without_target = otherwise == IfMissing::drop_row;
  for (const std::string& name : drop_rows.columns) {
    const std::size_t i = column_of(name, drop_rows.where, table);
    if (is_target(i))
      drop_without_target = true;
    else
      attribute(i, drop_rows.where).if_missing = IfMissing::drop_row;
  }
  Columns columns{.attributes = {},
                  .target = {},
                  .log_target = description.log_target,
                  .least = description.least,
                  .most = description.most,
                  .marks = marks};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (used[i]) columns.attributes.push_back(all[i]);
  for (const std::size_t i : targets) {
    columns.target.push_back(all[i]);
    columns.target.back().if_missing = drop_without_target ? IfMissing::drop_row : IfMissing::refuse;
  }
  return columns;
}

/// Whether this is the file described, going by its checksum.
void check_sum(const DatasetDescription& description, const std::string& sum) {
  const DatasetSource& source = *description.source;
  if (!source.sha256.empty() && sum != source.sha256)
    user_error("{}: is not the file that {} describes: sha256 is {}, expected {}; {}", source.path.string(),
               description.yaml.string(), sum, source.sha256,
               source.url.empty() ? "restore or describe it anew" : how_to_get(description));
}

[[noreturn]] void refuse_missing(const DatasetDescription& description) {
  user_error("{}: {} is missing; {}", description.name, description.source->path.string(),
             how_to_get(description));
}

/// The sheet that is meant, from 0.
std::size_t find_sheet(const std::vector<Workbook::Sheet>& sheets, const std::string& wanted,
                       const std::string& file) {
  if (wanted.empty()) {
    const auto visible = std::ranges::find(sheets, false, &Workbook::Sheet::hidden);
    return visible == sheets.end() ? 0 : static_cast<std::size_t>(visible - sheets.begin());
  }
  const auto named = std::ranges::find(sheets, wanted, &Workbook::Sheet::name);
  if (named != sheets.end()) return static_cast<std::size_t>(named - sheets.begin());
  const long long number = parse_integer(wanted).value_or(0);
  if (number > 0 && static_cast<std::size_t>(number) <= sheets.size())
    return static_cast<std::size_t>(number) - 1;
  std::vector<std::string> names;
  for (const Workbook::Sheet& sheet : sheets) names.push_back(sheet.name);
  user_error("--sheet {}: {} has no such sheet{}; its sheets: {}", show_text(wanted), file,
             did_you_mean(wanted, names), short_list(names));
}

/// The table in the file of a data set, unpacked or converted if it takes that. UserError if the file is not
/// what it should be.
std::string unpacked_table(const DatasetSource& source) {
  const std::string name = source.path.string();
  if (source.gzip) return gunzipped(source.path);
  std::string bytes = read_file(source.path);
  if (!source.member.empty())
    bytes = ZipArchive(std::move(bytes), name).member(source.member, FetchOptions{}.most_bytes);
  if (source.sheet == 0) return bytes;
  const Workbook book(std::move(bytes), name);
  if (source.sheet > book.sheets().size())
    user_error("{}: has {}, and no sheet {} (format.sheet)", name, counted(book.sheets().size(), "sheet"),
               source.sheet);
  return book.csv(book.sheets()[source.sheet - 1]);
}

/// Without the column that says which rows belong together, unless the description names it as an attribute.
Columns columns_of(const DatasetDescription& description, const CsvSource& table, const std::string& group) {
  Columns columns = description.columns ? *description.columns : choose_columns(description, table);
  if (!group.empty() && std::ranges::count(columns.target, group, &Column::name) > 0)
    user_error("--group: {} is the target", show_text(group));
  if (description.use.columns.empty())
    std::erase_if(columns.attributes, [&](const Column& column) { return column.name == group; });
  if (columns.attributes.empty())
    user_error("{}: leaves no attribute beside the target; columns of {}: {}", description.yaml.string(),
               table.name, short_list(table.header.names));
  return columns;
}

void check_size(const DatasetDescription& description, std::size_t rows, std::size_t attributes) {
  const auto check = [&](std::size_t found, std::size_t expected, const std::string& what) {
    if (expected != 0 && found != expected)
      user_error("{}: has {}; {} (key '{}s') expects {}", description.source->path.string(),
                 counted(found, what), description.yaml.string(), what, expected);
  };
  check(rows, description.rows, "row");
  check(attributes, description.attributes, "attribute");
}

/// Its columns, which get their values.
void read_into(LoadedDataset& loaded, const CsvSource& table, DropColumns drop) {
  Dataset& data = loaded.data;
  loaded.table = fit_columns(loaded.columns, table, drop);
  data.X = std::move(loaded.table.X);
  data.y = std::move(loaded.table.y);
  data.attributes = loaded.columns.attribute_names();
  data.filled = std::accumulate(loaded.table.filled.begin(), loaded.table.filled.end(), std::size_t{0});
}

LoadedDataset load(const DatasetDescription& description, DropColumns drop = DropColumns::now,
                   const std::string& group = "") {
  if ((!description.source || !description.source->contents) && !at_hand(description))
    refuse_missing(description);
  const DatasetSource& source = *description.source;
  const std::string file = source.path.string();
  const std::string read = source.contents ? *source.contents : unpacked_table(source);
  LoadedDataset loaded;
  Dataset& data = loaded.data;
  data.name = description.name;
  if (drop == DropColumns::now || !source.sha256.empty()) {
    const bool packed = source.gzip || source.sheet > 0 || !source.member.empty();
    data.fingerprint = sha256(packed ? read_file(source.path) : read);
    check_sum(description, data.fingerprint);
  }
  const std::string bytes = table_alone(read, description);
  const CsvHeader header = read_csv_header(bytes, file, description.format);
  const CsvSource table{bytes, file, description.format, header};
  const std::size_t groups = group.empty() ? 0 : column_named(table, group, "--group");
  loaded.columns = columns_of(description, table, group.empty() ? "" : header.names[groups]);
  loaded.format = description.format;
  if (!loaded.format.header) loaded.format.names = header.names;
  read_into(loaded, table, drop);
  if (!group.empty()) loaded.groups = read_column(table, groups, loaded.table.lines);
  std::size_t attributes = data.X.n_rows;
  for (const Column& column : loaded.columns.attributes)  // those that are to be dropped later
    if (std::ranges::find(loaded.table.dropped_columns, column.name) != loaded.table.dropped_columns.end())
      attributes -= attribute_count(column);
  // Without its group, a table has other attributes than the description counts.
  check_size(description, data.y.n_elem, group.empty() ? attributes : description.attributes);
  return loaded;
}

}  // namespace

void refuse_means(const DatasetDescription& description) {
  for (const DescribedColumn& special : description.special)
    if (special.how.kind == ColumnKind::mean)
      user_error("{}: {} is read by the mean of the target, as only `lacp fit` can; drop it", special.where,
                 show_text(special.column));
}

void refuse_unusable(const DatasetDescription& description, const arma::vec& y, std::size_t least_rows) {
  const std::string file = (description.source ? description.source->path : description.yaml).string();
  if (y.n_elem < least_rows)
    user_error("{}: has {}; {} needs at least {}", file, counted(y.n_elem, "row"),
               least_rows == fewest_rows_to_fit ? "a fit" : "an experiment", least_rows);
  if (y.min() == y.max())
    user_error("{}: target {} ({}) is {} in every row", file, show_text(target_text(description)),
               description.target.where, y(0));
}

Dataset load_dataset(const DatasetDescription& description) {
  refuse_means(description);
  Dataset data = load(description).data;
  refuse_unusable(description, data.y, fewest_rows);
  return data;
}

LoadedDataset load_for_fit(const DatasetDescription& description, const std::string& group) {
  LoadedDataset loaded = load(description, DropColumns::later, group);
  refuse_unusable(description, loaded.data.y, fewest_rows_to_fit);
  return loaded;
}

LoadedDataset load_for_fit(const DatasetDescription& description, const CsvSource& table,
                           const std::string& group) {
  LoadedDataset loaded;
  loaded.columns = description.columns.value();
  loaded.format = description.format;
  read_into(loaded, table, DropColumns::later);
  if (!group.empty())
    loaded.groups = read_column(table, column_named(table, group, "--group"), loaded.table.lines);
  refuse_unusable(description, loaded.data.y, fewest_rows_to_fit);
  return loaded;
}

TableBytes table_in(const std::filesystem::path& file, const std::string& sheet) {
  const std::string name = file.string();
  if (!ends_with_xlsx(name)) {
    if (!sheet.empty()) user_error("--sheet {}: {} is no xlsx file, so it has no sheets", sheet, name);
    return {.text = file.extension() == ".gz" ? gunzipped(file) : read_file(file)};
  }
  const Workbook book(read_file(file), name);
  const std::vector<Workbook::Sheet>& sheets = book.sheets();
  const std::size_t chosen = find_sheet(sheets, sheet, name);
  std::vector<std::string> others;
  for (std::size_t i = 0; i < sheets.size(); ++i)
    if (sheet.empty() && i != chosen && !sheets[i].hidden) others.push_back(sheets[i].name);
  TableBytes table{.text = book.csv(sheets[chosen]), .sheet = chosen + 1};
  if (!others.empty())
    table.note = fmt::format("sheet {} is read; --sheet reads another: {}", show_text(sheets[chosen].name),
                             short_list(others));
  return table;
}

LoadedDataset load_for_check(const DatasetDescription& description) { return load(description); }

}  // namespace lacp
