#include "lacp/datasets/load.hpp"

#include <numeric>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/data/csv.hpp"
#include "lacp/data/synthetic.hpp"
#include "lacp/datasets/choose_columns.hpp"
#include "lacp/datasets/made_table.hpp"

namespace lacp {
namespace {

void check_sum(const DatasetDescription& description, const std::filesystem::path& file,
               const std::string& sum) {
  const DatasetSource& source = *description.source;
  if (source.sha256.empty() || sum == source.sha256) return;
  const std::string advice = source.url.empty()
                                 ? "restore the file, or write the new checksum into the description"
                                 : fmt::format("run `lacp datasets fetch {}`", description.name);
  user_error("{}: is not the file that {} describes: sha256 is {}, expected {}; {}", file.string(),
             description.yaml.string(), sum, source.sha256, advice);
}

void check_made(const DatasetDescription& description, std::string_view table,
                const std::string& original_sum) {
  const DatasetSource& source = *description.source;
  if (source.table != source.original && check_made_table(source, table, original_sum) == MadeTable::changed)
    user_error(
        "{}: is not the table that was made from {}, going by the checksums beside it; run `lacp datasets fetch {}`",
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
  user_error("{}: {} is missing; {}", description.name,
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

LoadedDataset load(const DatasetDescription& description, bool counting) {
  check_at_hand(description);
  const DatasetSource& source = *description.source;
  const std::string file = source.table.string();
  const std::string read = source.contents ? "" : read_file(source.table);
  const std::string& bytes = source.contents ? *source.contents : read;
  Dataset data;
  data.name = description.name;
  // A table made from an archive or a spreadsheet goes by the checksum of that: the tool that makes it may
  // change its digits' looks.
  const bool made = source.contents || source.table != source.original;
  data.fingerprint = sha256(made ? read_file(source.original) : bytes);
  check_sum(description, source.original, data.fingerprint);
  check_made(description, bytes, data.fingerprint);

  const CsvHeader header = read_csv_header(bytes, file, description.format);
  const CsvSource table{bytes, file, description.format, header};
  LoadedDataset loaded{.data = {},
                       .columns = choose_columns(description, table),
                       .format = description.format,
                       .table = {},
                       .missing = {}};
  if (!loaded.format.header) loaded.format.names = header.names;
  loaded.table = fit_columns(loaded.columns, table, counting ? &loaded.missing : nullptr);
  data.X = std::move(loaded.table.X);
  data.y = std::move(loaded.table.y);
  data.attributes = loaded.columns.attribute_names();
  data.filled = std::accumulate(loaded.table.filled.begin(), loaded.table.filled.end(), std::size_t{0});
  loaded.data = std::move(data);
  check_size(description, loaded.data);
  return loaded;
}

}  // namespace

Dataset load_dataset(const DatasetDescription& description, std::size_t least_rows) {
  return load_with_columns(description, least_rows).data;
}

LoadedDataset load_with_columns(const DatasetDescription& description, std::size_t least_rows) {
  LoadedDataset loaded = load(description, false);
  const Dataset& data = loaded.data;
  const std::string file = description.source->table.string();
  if (data.y.n_elem < least_rows)
    user_error("{}: has {}; an experiment needs at least {}", file, counted(data.y.n_elem, "row"),
               least_rows);
  if (data.y.min() == data.y.max())
    user_error("{}: target {} ({}) is {} in every row; there is nothing to predict", file,
               show_text(target_text(description)), description.target.where, data.y(0));
  return loaded;
}

LoadedDataset load_for_check(const DatasetDescription& description) { return load(description, true); }

Dataset generate_synthetic(const DatasetDescription& description, Stream& stream) {
  if (!description.synthetic)
    user_error("{}: describes a data set in a file, not a synthetic one", description.yaml.string());
  return generate_synthetic(description.name, *description.synthetic, stream);
}

}  // namespace lacp
