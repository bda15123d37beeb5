#include "work/table_file.hpp"

#include <algorithm>
#include <cctype>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/datasets/catalog.hpp"
#include "lacp/datasets/draft.hpp"
#include "lacp/datasets/fetch.hpp"
#include "work/datasets_folder.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

bool is_made(const fs::path& file) { return file.extension() == ".gz" || file.extension() == ".xlsx"; }

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
  DatasetSource source;
  source.file = file.filename().string();
  source.gzip = file.extension() == ".gz";
  source.sheet = file.extension() == ".xlsx" ? 1 : 0;
  find_places(source, file.parent_path(), cache);
  description.source = source;
  if (is_made(file)) fetch_dataset(description, {});
  source_name = source.table.string();
  return read_file(source.table);
}

DatasetDescription describe_dataset(const fs::path& folder, const std::string& name_or_yaml) {
  const Catalog catalog(datasets_folder(folder));
  const bool is_file = name_or_yaml.ends_with(".yaml") || name_or_yaml.find('/') != std::string::npos;
  return is_file ? read_description(name_or_yaml, catalog.cache()) : catalog.find(name_or_yaml);
}

DescribedTable describe_table(const fs::path& folder, const std::string& input, const std::string& target) {
  const fs::path file = input;
  if (input.ends_with(".yaml") || input.find_first_of("./") == std::string::npos) {
    DatasetDescription description = describe_dataset(folder, input);
    if (!target.empty())
      user_error("--target {}: {} says already what is predicted, {}; leave the option out",
                 show_text(target), description.yaml.string(), show_text(target_text(description)));
    return {std::move(description), ""};
  }
  require_table(file);
  const fs::path cache = is_made(file) ? Catalog(datasets_folder(folder)).cache() : fs::path();
  std::string source;
  const std::string bytes = read_table(file, cache, source);
  std::string draft = draft_description(bytes, source, file.filename().string(), target);
  DatasetDescription description =
      parse_description(draft, file.parent_path() / (name_after(file) + ".yaml"), cache);
  return {std::move(description), std::move(draft)};
}

}  // namespace lacp
