#include "datasets/catalog.hpp"

#include <algorithm>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;

Catalog::Catalog(fs::path folder, fs::path cache)
    : folder_(std::move(folder)), cache_(cache.empty() ? folder_ / "cache" : std::move(cache)) {
  std::error_code ignored;
  if (!fs::is_directory(folder_, ignored))
    user_error(
        "{}: is not a folder; expected the folder of data set descriptions (--datasets-folder or LACP_DATASETS)",
        folder_.string());
}

std::vector<std::string> Catalog::names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".yaml" && entry->path().stem().string().front() != '.')
      names.push_back(entry->path().stem().string());
  if (error) user_error("{}: cannot be listed: {}", folder_.string(), error.message());
  std::ranges::sort(names);
  return names;
}

DatasetDescription Catalog::find(const std::string& name) const {
  const std::vector<std::string> known = names();
  if (std::ranges::find(known, name) == known.end())
    user_error("there is no data set '{}' in {}{}; known: {}", name, folder_.string(),
               did_you_mean(name, known), join(known, ", "));
  return read_description(folder_ / (name + ".yaml"), cache_);
}

}  // namespace lacp
