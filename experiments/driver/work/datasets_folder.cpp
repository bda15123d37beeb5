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

}  // namespace lacp
