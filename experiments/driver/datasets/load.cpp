#include "datasets/load.hpp"

#include <algorithm>
#include <numeric>

#include "datasets/catalog.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// What else the table may be: begun by a comment or, if it has one column, read with the wrong delimiter.
std::string hint(const CsvSource& table) {
  const std::string_view line = trim(table.bytes.substr(0, table.bytes.find('\n')));
  if (line.starts_with('#')) return comment_hint(line);
  std::size_t at = line.find_first_of(";,\t|");
  if (at == std::string_view::npos) at = line.find(' ');
  if (table.header.names.size() != 1 || at == std::string_view::npos) return "";
  const std::string name = delimiter_name(line[at]);
  std::string shown = name.size() == 1 ? "'" + name + "'" : name;
  if (name == "tab") shown = "tabs";
  return fmt::format("; if its columns are separated by {0}, say `format: {{delimiter: \"{1}\"}}`", shown,
                     name);
}

/// A name stands for the column of that name, and otherwise for its number.
std::size_t column_of(const std::string& column, const std::string& where, const CsvSource& table) {
  const std::vector<std::string>& names = table.header.names;
  const auto found = std::ranges::find(names, trim(column));
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto count = static_cast<long long>(names.size());
  if (const auto number = parse_integer(column)) {
    if (*number >= 1 && *number <= count) return static_cast<std::size_t>(*number - 1);
    if (*number <= -1 && *number >= -count) return static_cast<std::size_t>(count + *number);
    user_error("{}: found {}; {} has columns 1 to {} (or -1 to -{}, from the end){}", where, *number,
               table.name, count, count, hint(table));
  }
  user_error("{}: {} has no column {}{}; its columns: {}{}", where, table.name, show_text(column),
             did_you_mean(column, names), short_list(names), hint(table));
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
      user_error("{}: {} is described {}", where, show_text(names[i]),
                 number ? "as something else than numbers, too"
                        : "twice; expected it under one of categories, ordered, means and dates");
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

/// Whether these are the files described, going by their checksums.
void check_sums(const DatasetDescription& description, std::string_view table, const std::string& sum) {
  const DatasetSource& source = *description.source;
  const std::string fetch = fmt::format("run `lacp datasets fetch {}`", description.name);
  if (!source.sha256.empty() && sum != source.sha256)
    user_error(
        "{}: is not the file that {} describes: sha256 is {}, expected {}; {}", source.original.string(),
        description.yaml.string(), sum, source.sha256,
        source.url.empty() ? "restore the file, or write the new checksum into the description" : fetch);
  if (source.table != source.original && !is_made_table(source, table, sum))
    user_error("{}: is not the table that was made from {}, going by the checksums beside it; {}",
               source.table.string(), source.original.string(), fetch);
}

[[noreturn]] void refuse_missing(const DatasetDescription& description) {
  const DatasetSource& source = *description.source;
  std::error_code error;
  for (const std::filesystem::path& file : {source.original, source.table})
    if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
      user_error("{}: {} is there, but is no regular file; expected a table", description.name,
                 file.string());
  user_error("{}: {} is missing; {}", description.name,
             (can_fetch(description) ? source.table : source.original).string(), how_to_get(description));
}

/// Without the column that says which rows belong together, unless the description names it as an attribute.
Columns columns_of(const DatasetDescription& description, const CsvSource& table, const std::string& group) {
  Columns columns = description.columns ? *description.columns : choose_columns(description, table);
  if (!group.empty() && std::ranges::count(columns.target, group, &Column::name) > 0)
    user_error("--group: {} is the target", show_text(group));
  if (description.use.columns.empty())
    std::erase_if(columns.attributes, [&](const Column& column) { return column.name == group; });
  if (columns.attributes.empty())
    user_error("{}: leaves no attribute beside the target; columns of {}: {}{}", description.yaml.string(),
               table.name, short_list(table.header.names), hint(table));
  return columns;
}

void check_size(const DatasetDescription& description, std::size_t rows, std::size_t attributes) {
  const std::string file = description.source->table.string();
  if (description.rows != 0 && rows != description.rows)
    user_error("{}: has {}; {} (key 'rows') expects {}", file, counted(rows, "row"),
               description.yaml.string(), description.rows);
  if (description.attributes != 0 && attributes != description.attributes)
    user_error("{}: has {} once target and dropped columns are taken out; {} (key 'attributes') expects {}",
               file, counted(attributes, "attribute"), description.yaml.string(), description.attributes);
}

LoadedDataset load(const DatasetDescription& description, bool counting, DropColumns drop = DropColumns::now,
                   const std::string& group = "") {
  if ((!description.source || !description.source->contents) && !at_hand(description))
    refuse_missing(description);
  const DatasetSource& source = *description.source;
  const std::string file = source.table.string();
  const std::string read = source.contents ? *source.contents : read_file(source.table);
  LoadedDataset loaded;
  Dataset& data = loaded.data;
  data.name = description.name;
  // A table made from an archive or a spreadsheet goes by the checksum of that: the tool that makes it may
  // change its digits' looks.
  const bool made = source.table != source.original, for_fit = drop == DropColumns::later;
  if (made || !for_fit || !source.sha256.empty()) {
    data.fingerprint = sha256(made ? read_file(source.original) : read);
    check_sums(description, read, data.fingerprint);
  }
  const std::string bytes = table_alone(read, description);
  const CsvHeader header = read_csv_header(bytes, file, description.format);
  CsvSource table{bytes, file, description.format, header};
  if (source.rows) {
    if (header.offset < bytes.size())
      user_error(
          "{}:{}: has rows, and others come as doubles; expected no more than the names of the columns", file,
          header.line);
    table.rows = *source.rows;
  }
  const std::size_t groups = group.empty() ? 0 : column_named(table, group, "--group");
  loaded.columns = columns_of(description, table, group.empty() ? "" : header.names[groups]);
  loaded.format = description.format;
  if (!loaded.format.header) loaded.format.names = header.names;
  loaded.table = fit_columns(loaded.columns, table, counting ? &loaded.missing : nullptr, drop);
  if (!group.empty()) loaded.groups = read_column(table, groups, loaded.table.lines);
  data.X = std::move(loaded.table.X);
  data.y = std::move(loaded.table.y);
  data.attributes = loaded.columns.attribute_names();
  data.filled = std::accumulate(loaded.table.filled.begin(), loaded.table.filled.end(), std::size_t{0});
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
      user_error(
          "{}: {} is read by the mean of the target, which `lacp fit` can do, and an experiment cannot; leave the column out (columns.drop)",
          special.where, show_text(special.column));
}

void refuse_unusable(const DatasetDescription& description, const arma::vec& y, std::size_t least_rows) {
  const std::string file = (description.source ? description.source->table : description.yaml).string();
  if (y.n_elem < least_rows)
    user_error("{}: has {}; {} needs at least {}", file, counted(y.n_elem, "row"),
               least_rows == fewest_rows_to_fit ? "a fit" : "an experiment", least_rows);
  if (y.min() == y.max())
    user_error("{}: target {} ({}) is {} in every row; there is nothing to predict", file,
               show_text(target_text(description)), description.target.where, y(0));
}

Dataset load_dataset(const DatasetDescription& description) {
  refuse_means(description);
  Dataset data = load(description, false).data;
  refuse_unusable(description, data.y, fewest_rows);
  return data;
}

LoadedDataset load_for_fit(const DatasetDescription& description, const std::string& group) {
  LoadedDataset loaded = load(description, false, DropColumns::later, group);
  refuse_unusable(description, loaded.data.y, fewest_rows_to_fit);
  return loaded;
}

LoadedDataset load_for_check(const DatasetDescription& description) { return load(description, true); }

}  // namespace lacp
