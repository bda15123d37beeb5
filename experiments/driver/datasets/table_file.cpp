#include "datasets/table_file.hpp"

#include <algorithm>
#include <cctype>

#include "datasets/datasets_folder.hpp"
#include "datasets/draft.hpp"
#include "datasets/fetch.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

DatasetSource source_of(const fs::path& file) {
  DatasetSource source;
  source.file = file.filename().string();
  source.gzip = file.extension() == ".gz";
  source.sheet = file.extension() == ".xlsx" ? 1 : 0;
  return source;
}

}  // namespace

std::string name_after(const fs::path& file) {
  std::string name = file.stem().string();
  if (file.extension() == ".gz") name = fs::path(name).stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '_';
  return name;
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

std::string read_table(const fs::path& file, const fs::path& cache, std::string& source_name) {
  DatasetDescription description;
  DatasetSource source = source_of(file);
  find_places(source, file.parent_path(), cache);
  description.source = source;
  if (source.table != source.original) fetch_dataset(description, {});
  source_name = source.table.string();
  return read_file(source.table);
}

DatasetDescription describe_dataset(const Catalog& catalog, const std::string& name_or_yaml) {
  const bool is_file = name_or_yaml.ends_with(".yaml") || name_or_yaml.find('/') != std::string::npos;
  return is_file ? read_description(name_or_yaml, catalog.cache()) : catalog.find(name_or_yaml);
}

DescribedTable describe_table(const fs::path& folder, const std::string& input, const std::string& target) {
  const fs::path file = input;
  if (input.ends_with(".yaml") || input.find_first_of("./") == std::string::npos) {
    DatasetDescription description = describe_dataset(open_catalog(folder), input);
    if (!target.empty())
      user_error("--target {}: {} says already what is predicted, {}; leave the option out",
                 show_text(target), description.yaml.string(), show_text(target_text(description)));
    return {std::move(description), ""};
  }
  require_table(file);
  DatasetSource source = source_of(file);
  source.original = source.table = file;
  const bool made = source.gzip || source.sheet > 0;
  source.contents = std::make_shared<const std::string>(made ? unpacked_table(source, {}) : read_file(file));
  std::string draft = draft_description(*source.contents, input, "table.csv", target);
  DatasetDescription description = parse_description(draft, "draft for " + input);
  description.name = name_after(file);
  description.source = std::move(source);
  return {std::move(description), std::move(draft)};
}

void protect_inputs(const DatasetDescription& description) {
  protect_input(description.yaml);
  if (is_synthetic(description)) return;
  protect_input(description.source->original);
  protect_input(description.source->table);
}

}  // namespace lacp
