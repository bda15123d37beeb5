#include "datasets/catalog.hpp"

#include <algorithm>
#include <cstdlib>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

fs::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Adds the names of the descriptions in a folder.
void list(const fs::path& folder, std::vector<std::string>& names) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".yaml" && entry->path().stem().string().front() != '.')
      names.push_back(entry->path().stem().string());
  if (error) user_error("{}: cannot be listed: {}", folder.string(), error.message());
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

}  // namespace

Catalog::Catalog(fs::path folder, fs::path cache, fs::path shipped)
    : folder_(std::move(folder)),
      cache_(cache.empty() ? folder_ / "cache" : std::move(cache)),
      shipped_(std::move(shipped)) {
  if (shipped_.empty() && !is_folder(folder_))
    user_error(
        "{}: is not a folder; expected the folder of data set descriptions (--datasets-folder or LACP_DATASETS)",
        folder_.string());
}

std::vector<std::string> Catalog::names() const {
  std::vector<std::string> names;
  if (shipped_.empty() || is_folder(folder_)) list(folder_, names);
  if (!shipped_.empty()) list(shipped_, names);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

DatasetDescription Catalog::find(const std::string& name) const {
  const std::vector<std::string> known = names();
  if (std::ranges::find(known, name) == known.end())
    user_error("there is no data set '{}' in {}{}; known: {}", name, folder_.string(),
               did_you_mean(name, known), join(known, ", "));
  const fs::path file = name + ".yaml";
  std::error_code ignored;
  const bool own = shipped_.empty() || fs::exists(folder_ / file, ignored);
  return read_description((own ? folder_ : shipped_) / file, cache_);
}

Catalog open_catalog(const fs::path& option) {
  std::error_code ignored;
  if (!option.empty()) return Catalog(option);
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path shipped = program.parent_path().parent_path() / "share" / "lacp" / "datasets";
  const fs::path named = from_environment("LACP_DATASETS");
  const bool here = is_folder("datasets");
  if (!here && !named.empty()) return Catalog(named);
  if (is_folder(shipped)) return Catalog("datasets", {}, shipped);
  if (here) return Catalog("datasets");
  user_error(
      "there are no data sets here: ./datasets is no folder; change to the folder that holds it, or name one with --datasets-folder or LACP_DATASETS");
}

DatasetDescription describe_dataset(const Catalog& catalog, const std::string& name_or_yaml) {
  const bool is_file = name_or_yaml.ends_with(".yaml") || name_or_yaml.find('/') != std::string::npos;
  return is_file ? read_description(name_or_yaml, catalog.cache()) : catalog.find(name_or_yaml);
}

void protect_inputs(const DatasetDescription& description) {
  protect_input(description.yaml);
  if (is_synthetic(description)) return;
  protect_input(description.source->original);
  protect_input(description.source->table);
}

}  // namespace lacp
