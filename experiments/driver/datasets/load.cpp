#include "datasets/load.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "datasets/catalog.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// What else the table may be: begun by a comment, or, if it has a single column, read with the wrong
/// delimiter.
std::string hint(const CsvSource& table) {
  const std::string_view line = trim(table.bytes.substr(0, table.bytes.find('\n')));
  if (line.starts_with('#')) return comment_hint(line);
  std::size_t at = line.find_first_of(";,\t|");
  if (at == std::string_view::npos) at = line.find(' ');
  if (table.header.names.size() != 1 || at == std::string_view::npos) return "";
  const std::string name = delimiter_name(line[at]);
  return fmt::format("; if its columns are separated by {}, say `format: {{delimiter: \"{}\"}}`",
                     name == "tab"      ? "tabs"
                     : name == "blanks" ? name
                                        : fmt::format("'{}'", name),
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

/// What a description makes of each column of a table; no kind: it is not an attribute.
class Choice {
 public:
  Choice(const DatasetDescription& description, const CsvSource& table)
      : description_(description),
        table_(table),
        names_(table.header.names),
        attributes_(names_.size()),
        written_(names_.size()) {
    for (const std::string& column : description.target.columns)
      targets_.push_back(column_of(column, description.target.where, table));
    for (const std::size_t i : targets_)
      if (std::ranges::count(targets_, i) > 1)
        user_error("{}: {} is named twice", description.target.where, show_text(names_[i]));
    std::vector<std::size_t> used = find(description.use);
    for (std::size_t i = 0; i < names_.size() && description.use.columns.empty(); ++i) used.push_back(i);
    for (const std::size_t i : used)
      attributes_[i] = Column{.name = names_[i], .if_missing = description.missing.otherwise};
    for (const std::size_t i : find(description.drop)) attributes_[i].reset();
    for (const std::size_t i : targets_) attributes_[i].reset();
    for (const DescribedColumn& special : description.special) apply(special);
    for (const std::size_t i : find(description.missing.fill))
      attribute(i, description.missing.fill.where).if_missing = IfMissing::fill;
    apply_drop_rows();
  }

  Columns columns() const {
    Columns out{.attributes = {},
                .target = {},
                .log_target = description_.log_target,
                .least = description_.least,
                .most = description_.most,
                .marks = description_.missing.marks};
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      if (!attributes_[i]) continue;
      out.attributes.push_back(*attributes_[i]);
      Column& column = out.attributes.back();
      if (column.kind == ColumnKind::number) column.written = notation(i);
      if (column.kind == ColumnKind::date) column.order = description_.date;
    }
    if (out.attributes.empty())
      user_error("{}: leaves no attribute beside the target; columns of {}: {}{}", description_.yaml.string(),
                 table_.name, short_list(names_), hint(table_));
    const bool drop = description_.missing.otherwise == IfMissing::drop_row || drop_without_target_;
    for (const std::size_t i : targets_)
      out.target.push_back({.name = names_[i],
                            .if_missing = drop ? IfMissing::drop_row : IfMissing::refuse,
                            .written = notation(i)});
    return out;
  }

 private:
  std::optional<Notation> notation(std::size_t i) const {
    if (written_[i]) return written_[i];
    return description_.decimal ? std::optional(Notation{.decimal = *description_.decimal}) : std::nullopt;
  }

  bool is_target(std::size_t i) const { return std::ranges::find(targets_, i) != targets_.end(); }

  std::vector<std::size_t> find(const ColumnNames& list) const {
    std::vector<std::size_t> found;
    for (const std::string& column : list.columns) {
      found.push_back(column_of(column, list.where, table_));
      if (is_target(found.back())) user_error("{}: {} is the target", list.where, show_text(column));
    }
    return found;
  }

  Column& attribute(std::size_t i, const std::string& where) {
    if (is_target(i)) user_error("{}: {} is the target", where, show_text(names_[i]));
    if (!attributes_[i])
      user_error("{}: {} is not an attribute, going by columns.{}", where, show_text(names_[i]),
                 description_.use.columns.empty() ? "drop" : "use");
    return *attributes_[i];
  }

  void apply(const DescribedColumn& special) {
    const auto& [name, how, where] = special;
    const std::size_t i = column_of(name, where, table_);
    if (how.kind == ColumnKind::number) {
      if (!is_target(i) && attribute(i, where).kind != ColumnKind::number)
        user_error("{}: {} is described as something else than numbers, too", where, show_text(names_[i]));
      written_[i] = how.written;
      return;
    }
    Column& column = attribute(i, where);
    if (column.kind != ColumnKind::number)
      user_error("{}: {} is described twice; expected it under one of categories, ordered, means and dates",
                 where, show_text(names_[i]));
    column.kind = how.kind, column.levels = how.levels, column.parts = how.parts;
  }

  /// The target may be among these: rows without it cannot be used.
  void apply_drop_rows() {
    const ColumnNames& list = description_.missing.drop_rows;
    for (const std::string& name : list.columns) {
      const std::size_t i = column_of(name, list.where, table_);
      if (is_target(i))
        drop_without_target_ = true;
      else
        attribute(i, list.where).if_missing = IfMissing::drop_row;
    }
  }

  const DatasetDescription& description_;
  const CsvSource& table_;
  const std::vector<std::string>& names_;
  std::vector<std::size_t> targets_;
  std::vector<std::optional<Column>> attributes_;
  std::vector<std::optional<Notation>> written_;
  bool drop_without_target_ = false;
};

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

void check_at_hand(const DatasetDescription& description) {
  if (at_hand(description)) return;
  const DatasetSource& source = *description.source;
  std::error_code error;
  for (const std::filesystem::path& file : {source.original, source.table})
    if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
      user_error("{}: {} is there, but is no regular file; expected a table", description.name,
                 file.string());
  user_error("{}: {} is missing; {}", description.name,
             (can_fetch(description) ? source.table : source.original).string(), how_to_get(description));
}

/// The description without a column that says which rows belong together.
DatasetDescription without(DatasetDescription description, const std::string& group) {
  const auto is_group = [&](const std::string& column) { return trim(column) == group; };
  if (std::ranges::any_of(description.use.columns, is_group)) return description;
  description.drop.columns.push_back(group);
  description.attributes = 0;  // with that column among them
  if (description.drop.where.empty()) description.drop.where = "--group";
  std::erase_if(description.special, [&](const DescribedColumn& column) { return is_group(column.column); });
  for (ColumnNames* names : {&description.missing.fill, &description.missing.drop_rows})
    std::erase_if(names->columns, is_group);
  return description;
}

/// The group of the row in each of these lines: a number for each text in that column.
std::vector<std::size_t> read_groups(const CsvSource& table, std::size_t column,
                                     const std::vector<std::size_t>& lines) {
  std::map<std::string, std::size_t> ids;
  std::size_t next = 0;
  std::vector<std::size_t> groups;
  for (const auto& row : read_texts(table, {column}, lines)) {
    const auto [place, is_new] = ids.emplace(row[0], next);
    groups.push_back(row[0].empty() ? next : place->second);
    next += row[0].empty() || is_new ? 1 : 0;
  }
  return groups;
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
  if (!description.source || !description.source->contents) check_at_hand(description);
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
  const CsvSource table{bytes, file, description.format, header};
  const std::size_t groups = group.empty() ? 0 : column_named(table, group, "--group");
  loaded.columns = Choice(description, table).columns();
  loaded.format = description.format;
  if (!loaded.format.header) loaded.format.names = header.names;
  loaded.table = fit_columns(loaded.columns, table, counting ? &loaded.missing : nullptr, drop);
  if (!group.empty()) loaded.groups = read_groups(table, groups, loaded.table.lines);
  data.X = std::move(loaded.table.X);
  data.y = std::move(loaded.table.y);
  data.attributes = loaded.columns.attribute_names();
  data.filled = std::accumulate(loaded.table.filled.begin(), loaded.table.filled.end(), std::size_t{0});
  std::size_t attributes = data.X.n_rows;
  for (const Column& column : loaded.columns.attributes)  // those that are to be dropped later
    if (std::ranges::find(loaded.table.dropped_columns, column.name) != loaded.table.dropped_columns.end())
      attributes -= attribute_count(column);
  check_size(description, data.y.n_elem, attributes);
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
  const DatasetDescription used = group.empty() ? description : without(description, group);
  LoadedDataset loaded = load(used, false, DropColumns::later, group);
  refuse_unusable(used, loaded.data.y, fewest_rows_to_fit);
  return loaded;
}

LoadedDataset load_for_check(const DatasetDescription& description) { return load(description, true); }

}  // namespace lacp
