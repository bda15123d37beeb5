#include "work/datasets_folder.hpp"

#include <cstdlib>

namespace lacp {
namespace fs = std::filesystem;

fs::path datasets_folder(const fs::path& option) {
  if (!option.empty()) return option;
  if (const char* named = std::getenv("LACP_DATASETS"); named != nullptr && *named != '\0') return named;
  std::error_code ignored;
  if (fs::is_directory("datasets", ignored)) return "datasets";
  return LACP_DATASETS_OF_SOURCE;
}

fs::path experiments_folder(const fs::path& datasets) {
  std::error_code ignored;
  const fs::path beside = datasets / ".." / "experiments";
  return fs::is_directory(beside, ignored) ? beside : fs::path(LACP_DATASETS_OF_SOURCE) / "../experiments";
}

}  // namespace lacp
