#include "lacp/datasets/load.hpp"

#include <algorithm>
#include <optional>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/data/csv.hpp"
#include "lacp/data/synthetic.hpp"
#include "lacp/datasets/made_table.hpp"

namespace lacp {
namespace {

std::string short_list(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) shown.push_back(show_text(names[i]));
  return join(shown, ", ") + (names.size() > most ? fmt::format(", ... ({} in all)", names.size()) : "");
}

/// What messages about the columns of a table need to know.
struct Columns {
  const std::vector<std::string>& names;
  const std::string& file;
  std::string_view first_line;

  /// What else the table may be: begun by a comment, or, if it has a single column, read with the wrong
  /// delimiter.
  std::string hint() const {
    const std::string_view line = trim(first_line);
    if (line.starts_with('#')) return "; comments are not read: take lines with # out of the file";
    std::size_t at = line.find_first_of(";,\t|");
    if (at == std::string_view::npos) at = line.find(' ');
    if (names.size() != 1 || at == std::string_view::npos) return "";
    const std::string mark(1, line[at]);
    const std::string name = mark == "\t" ? "tab" : mark == " " ? "blanks" : mark;
    return fmt::format("; if its columns are set apart by {}, say `format: {{delimiter: \"{}\"}}`",
                       name == mark    ? fmt::format("'{}'", mark)
                       : name == "tab" ? "tabs"
                                       : name,
                       name);
  }
};

/// A name stands for the column of that name, and otherwise for its number.
std::size_t column_of(const std::string& column, const std::string& where, const Columns& columns) {
  const std::vector<std::string>& names = columns.names;
  const auto found = std::ranges::find(names, trim(column));
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto count = static_cast<long long>(names.size());
  if (const auto number = parse_integer(column)) {
    if (*number >= 1 && *number <= count) return static_cast<std::size_t>(*number - 1);
    if (*number <= -1 && *number >= -count) return static_cast<std::size_t>(count + *number);
    user_error("{}: found {}; {} has columns 1 to {} (or -1 to -{}, from the end){}", where, *number,
               columns.file, count, count, columns.hint());
  }
  user_error("{}: {} has no column {}{}; its columns: {}{}", where, columns.file, show_text(column),
             did_you_mean(column, names), short_list(names), columns.hint());
}

struct ColumnRoles {
  std::size_t target = 0;
  std::vector<bool> keep;  ///< attributes and target
};

ColumnRoles choose_columns(const DatasetDescription& description, const Columns& columns) {
  ColumnRoles roles;
  roles.target = column_of(description.target.columns.at(0), description.target.where, columns);
  roles.keep.assign(columns.names.size(), description.use.columns.empty());
  const auto mark = [&](const ColumnNames& list, bool kept) {
    for (const std::string& column : list.columns) {
      const std::size_t index = column_of(column, list.where, columns);
      if (index == roles.target) user_error("{}: {} is the target", list.where, show_text(column));
      roles.keep[index] = kept;
    }
  };
  mark(description.use, true);
  mark(description.drop, false);
  roles.keep[roles.target] = true;
  if (std::ranges::count(roles.keep, true) < 2)
    user_error("{}: leaves no attribute beside the target; columns of {}: {}{}", description.yaml.string(),
               columns.file, short_list(columns.names), columns.hint());
  return roles;
}

void check_sum(const DatasetDescription& description, const std::filesystem::path& file,
               const std::string& sum) {
  const DatasetSource& source = *description.source;
  if (source.sha256.empty() || sum == source.sha256) return;
  const std::string advice = source.url.empty()
                                 ? "restore the file, or write the new sum into the description"
                                 : fmt::format("run `lacp datasets fetch {}`", description.name);
  user_error("{}: is not the file that {} describes: sha256 is {}, expected {}; {}", file.string(),
             description.yaml.string(), sum, source.sha256, advice);
}

void check_made(const DatasetDescription& description, std::string_view table,
                const std::string& original_sum) {
  const DatasetSource& source = *description.source;
  if (source.table != source.original && check_made_table(source, table, original_sum) == MadeTable::changed)
    user_error(
        "{}: is not the table that was made from {}, going by the sums beside it; run `lacp datasets fetch {}`",
        source.table.string(), source.original.string(), description.name);
}

void check_at_hand(const DatasetDescription& description) {
  if (is_synthetic(description))
    user_error("{}: is synthetic; it has no file to load", description.yaml.string());
  if (at_hand(description)) return;
  const DatasetSource& source = *description.source;
  std::error_code error;
  for (const std::filesystem::path& file : {source.original, source.table})
    if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
      user_error("{}: {} is there, but is no regular file; expected a table", description.name,
                 file.string());
  user_error("{}: {} is not at hand; {}", description.name,
             (can_fetch(description) ? source.table : source.original).string(), how_to_get(description));
}

void check_size(const DatasetDescription& description, const Dataset& data) {
  const std::string file = description.source->table.string();
  if (description.rows != 0 && data.y.n_elem != description.rows)
    user_error("{}: has {}; {} (key 'rows') expects {}", file, counted(data.y.n_elem, "row"),
               description.yaml.string(), description.rows);
  if (description.attributes != 0 && data.X.n_rows != description.attributes)
    user_error("{}: has {} once target and dropped columns are taken out; {} (key 'attributes') expects {}",
               file, counted(data.X.n_rows, "attribute"), description.yaml.string(), description.attributes);
}

Dataset load(const DatasetDescription& description, CsvMissing* missing) {
  check_at_hand(description);
  const DatasetSource& source = *description.source;
  const std::string file = source.table.string();
  const std::string bytes = read_file(source.table);
  Dataset data;
  data.name = description.name;
  // A table made from an archive or a spreadsheet goes by the sum of that: the tool that makes it may change
  // its digits' looks.
  data.fingerprint = sha256(source.table == source.original ? bytes : read_file(source.original));
  check_sum(description, source.original, data.fingerprint);
  check_made(description, bytes, data.fingerprint);

  const CsvHeader header = read_csv_header(bytes, file, description.format);
  const ColumnRoles roles =
      choose_columns(description, {header.names, file, std::string_view(bytes).substr(0, bytes.find('\n'))});
  CsvTable table = read_csv(bytes, file, description.format, header, roles.keep, missing);
  const auto target = static_cast<arma::uword>(
      std::count(roles.keep.begin(), roles.keep.begin() + static_cast<std::ptrdiff_t>(roles.target), true));
  data.y = table.values.row(target).t();
  table.values.shed_row(target);
  data.X = std::move(table.values);
  data.attributes = std::move(table.names);
  data.attributes.erase(data.attributes.begin() + static_cast<std::ptrdiff_t>(target));
  check_size(description, data);
  return data;
}

}  // namespace

Dataset load_dataset(const DatasetDescription& description, std::size_t least_rows) {
  Dataset data = load(description, nullptr);
  const std::string file = description.source->table.string();
  if (data.y.n_elem < least_rows)
    user_error("{}: has {}; an experiment needs at least {}", file, counted(data.y.n_elem, "row"),
               least_rows);
  if (data.y.min() == data.y.max())
    user_error("{}: target {} ({}) is {} in every row; there is nothing to predict", file,
               show_text(description.target.columns[0]), description.target.where, data.y(0));
  return data;
}

Dataset load_for_check(const DatasetDescription& description, CsvMissing& missing) {
  return load(description, &missing);
}

Dataset generate_synthetic(const DatasetDescription& description, Stream& stream) {
  if (!description.synthetic)
    user_error("{}: describes a data set in a file, not a synthetic one", description.yaml.string());
  return generate_synthetic(description.name, *description.synthetic, stream);
}

}  // namespace lacp
