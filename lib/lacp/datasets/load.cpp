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

/// A single column whose name has a separator in it is several, read with the wrong delimiter.
std::string delimiter_hint(const std::vector<std::string>& names) {
  const std::size_t at = names.size() == 1 ? names[0].find_first_of(";,\t|") : std::string::npos;
  if (at == std::string::npos) return "";
  const char found = names[0][at];
  return fmt::format("; if they are set apart by {}, say `format: {{delimiter: \"{}\"}}`",
                     found == '\t' ? "tabs" : fmt::format("'{}'", found),
                     found == '\t' ? "tab" : std::string(1, found));
}

/// A name stands for the column of that name, and otherwise for its number.
std::size_t column_of(const std::string& column, const std::string& where,
                      const std::vector<std::string>& names, const std::string& file) {
  const auto found = std::ranges::find(names, trim(column));
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto count = static_cast<long long>(names.size());
  if (const auto number = parse_integer(column)) {
    if (*number >= 1 && *number <= count) return static_cast<std::size_t>(*number - 1);
    if (*number <= -1 && *number >= -count) return static_cast<std::size_t>(count + *number);
    user_error("{}: found {}; {} has columns 1 to {} (or -1 to -{}, from the end)", where, *number, file,
               count, count);
  }
  user_error("{}: {} has no column {}{}; its columns: {}{}", where, file, show_text(column),
             did_you_mean(column, names), short_list(names), delimiter_hint(names));
}

struct ColumnRoles {
  std::size_t target = 0;
  std::vector<bool> keep;  ///< attributes and target
};

ColumnRoles choose_columns(const DatasetDescription& description, const std::vector<std::string>& names,
                           const std::string& file) {
  ColumnRoles roles;
  roles.target = column_of(description.target.columns.at(0), description.target.where, names, file);
  roles.keep.assign(names.size(), description.use.columns.empty());
  const auto mark = [&](const ColumnNames& list, bool kept) {
    for (const std::string& column : list.columns) {
      const std::size_t index = column_of(column, list.where, names, file);
      if (index == roles.target) user_error("{}: {} is the target", list.where, show_text(column));
      roles.keep[index] = kept;
    }
  };
  mark(description.use, true);
  mark(description.drop, false);
  roles.keep[roles.target] = true;
  if (std::ranges::count(roles.keep, true) < 2)
    user_error("{}: leaves no attribute beside the target; columns of {}: {}", description.yaml.string(),
               file, short_list(names));
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
  if (source.url.empty() && source.table == source.original)
    user_error("{}: {} is not there; {} expects it beside the description", description.name,
               source.original.string(), description.yaml.string());
  user_error("{}: {} is not at hand; run `lacp datasets fetch {}`", description.name, source.table.string(),
             description.name);
}

void check_size(const DatasetDescription& description, const Dataset& data) {
  const std::string file = description.source->table.string();
  if (description.rows != 0 && data.y.n_elem != description.rows)
    user_error("{}: has {} rows; {} (key 'rows') expects {}", file, data.y.n_elem, description.yaml.string(),
               description.rows);
  if (description.attributes != 0 && data.X.n_rows != description.attributes)
    user_error(
        "{}: has {} attributes once target and dropped columns are taken out; {} (key 'attributes') expects {}",
        file, data.X.n_rows, description.yaml.string(), description.attributes);
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
  const ColumnRoles roles = choose_columns(description, header.names, file);
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
    user_error("{}: has {} rows; an experiment needs at least {}", file, data.y.n_elem, least_rows);
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
