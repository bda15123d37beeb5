#include "datasets/catalog.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include "common/yaml.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// File systems stop at 255 bytes, and endings are added to these names.
constexpr std::size_t longest_name = 120;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// A file name and nothing else, so that no description can write outside the cache.
std::string file_name(const YamlMap& source, const std::string& url) {
  const std::string fallback = url.substr(url.find_last_of('/') + 1);
  const std::string name =
      url.empty() ? source.get<std::string>("file") : source.get<std::string>("file", fallback);
  if (name.empty() || name.size() > longest_name || name.front() == '.' || name.front() == '-' ||
      name.find('/') != std::string::npos || std::ranges::any_of(name, is_control))
    source.fail("file", fmt::format("found {}; give a file name", show_text(name)));
  return name;
}

std::string checksum(const YamlMap& source, bool needed) {
  if (!source.has("sha256") && !needed) return "";
  const std::string sum = source.get<std::string>("sha256");
  if (!is_sha256(sum))
    source.fail("sha256", fmt::format("found {}; expected what `sha256sum FILE` prints", show_text(sum)));
  return sum;
}

/// Whether the file is a table compressed by gzip.
bool is_gzip(const YamlMap& source, const DatasetSource& described) {
  const std::string& file = described.file;
  if (file.ends_with(".tar.gz") || file.ends_with(".tgz"))
    source.fail("file", fmt::format("found {}; tar archives are not read, zip is", show_text(file)));
  if (!file.ends_with(".gz")) return false;
  if (!described.member.empty()) source.fail("member", "is for zip archives; a .gz file is one table");
  return true;
}

}  // namespace

Catalog::Catalog(fs::path folder, fs::path cache, fs::path shipped)
    : folder_(std::move(folder)),
      cache_(cache.empty() ? folder_ / "cache" : std::move(cache)),
      shipped_(std::move(shipped)) {
  if (shipped_.empty() && !is_folder(folder_))
    user_error("{}: is not a folder (--datasets-folder or LACP_DATASETS)", folder_.string());
}

std::vector<std::string> Catalog::names() const {
  std::set<std::string> names;
  for (const fs::path& folder : {folder_, shipped_}) {
    if (folder.empty() || (folder == folder_ && !shipped_.empty() && !is_folder(folder))) continue;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (entry->path().extension() == ".yaml" && entry->path().stem().string().front() != '.')
        names.insert(entry->path().stem().string());
    if (error) user_error("{}: cannot be listed: {}", folder.string(), error.message());
  }
  return {names.begin(), names.end()};
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

fs::path installed_folder(const char* folder) {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "share/lacp" / folder;
}

Catalog open_catalog(const fs::path& option) {
  if (!option.empty()) return Catalog(option);
  const fs::path shipped = installed_folder("datasets");
  const char* named = std::getenv("LACP_DATASETS");
  const bool here = is_folder("datasets");
  if (!here && named != nullptr && *named != '\0') return Catalog(named);
  if (is_folder(shipped)) return Catalog("datasets", {}, shipped);
  if (here) return Catalog("datasets");
  user_error("no folder ./datasets; name one with --datasets-folder or LACP_DATASETS");
}

DatasetDescription describe_dataset(const Catalog& catalog, const std::string& name_or_yaml) {
  const bool is_path = name_or_yaml.ends_with(".yaml") || name_or_yaml.find('/') != std::string::npos;
  return is_path ? read_description(name_or_yaml, catalog.cache()) : catalog.find(name_or_yaml);
}

void protect_inputs(const DatasetDescription& description) {
  protect_input(description.yaml);
  if (is_synthetic(description)) return;
  protect_input(description.source->path);
}

std::string dataset_name(const fs::path& yaml) {
  const std::string name = yaml.stem().string();
  const bool fits = !name.empty() && name.size() <= longest_name && std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
  if (!fits)
    user_error("{}: '{}' cannot name a data set; expected letters, digits, _ and -", yaml.string(), name);
  return name;
}

DatasetSource read_source(const YamlMap& yaml, const YamlMap& format, const fs::path& beside,
                          const fs::path& cache) {
  const YamlMap map = yaml.map("source");
  DatasetSource source;
  source.url = map.get<std::string>("url", "");
  source.file = file_name(map, source.url);
  source.sha256 = checksum(map, !source.url.empty());
  source.member = map.get<std::string>("member", "");
  source.gzip = is_gzip(map, source);
  map.finish();

  const std::string& table_name = source.member.empty() ? source.file : source.member;
  source.sheet = format.get<std::size_t>("sheet", ends_with_xlsx(table_name) ? 1 : 0);
  if (format.has("sheet") && (source.sheet == 0 || !ends_with_xlsx(table_name)))
    format.fail("sheet", "is for .xlsx files, from 1");

  source.path = (source.url.empty() ? beside : cache) / source.file;
  return source;
}

bool at_hand(const DatasetDescription& description) {
  std::error_code ignored;
  return is_synthetic(description) || fs::is_regular_file(description.source->path, ignored);
}

std::string how_to_get(const DatasetDescription& description) {
  if (!description.source->url.empty()) return fmt::format("run `lacp datasets fetch {}`", description.name);
  return fmt::format("put it there, or name a source.url in {}", description.yaml.string());
}

}  // namespace lacp
