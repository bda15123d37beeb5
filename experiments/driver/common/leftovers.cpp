#include "common/leftovers.hpp"

#include <chrono>
#include <string>

namespace lacp {
namespace fs = std::filesystem;

void remove_leftovers(const fs::path& folder) {
  using namespace std::chrono_literals;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') || !name.ends_with(".tmp")) continue;
    std::error_code gone;  // renamed meanwhile by the run that writes it
    const auto written = fs::last_write_time(entry->path(), gone);
    if (!gone && fs::file_time_type::clock::now() - written > 1h) fs::remove(entry->path(), gone);
  }
}

}  // namespace lacp
