#include "datasets/datasets_folder.hpp"

#include <cstdlib>

#include "lacp/base/error.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

fs::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path user_cache() {
  const fs::path named = from_environment("XDG_CACHE_HOME");
  return (named.empty() ? from_environment("HOME") / ".cache" : named) / "lacp" / "datasets";
}

}  // namespace

Catalog open_catalog(const fs::path& option) {
  std::error_code ignored;
  if (!option.empty()) return Catalog(option);
  if (fs::is_directory("datasets", ignored)) return Catalog("datasets");
  if (const fs::path named = from_environment("LACP_DATASETS"); !named.empty()) return Catalog(named);
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / "share" / "lacp" / "datasets";
  if (fs::is_directory(installed, ignored)) return Catalog(installed, user_cache());
  user_error(
      "there are no data sets here: ./datasets is no folder; change to the folder that holds it, or name one with --datasets-folder or LACP_DATASETS");
}

}  // namespace lacp
