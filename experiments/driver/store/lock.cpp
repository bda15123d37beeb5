#include "store/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace lacp {

Descriptor::~Descriptor() {
  if (is_open()) ::close(number_);
}

// The folder itself is locked, which leaves no file behind. If it cannot be made, writing the record will say
// why.
FolderLock::FolderLock(const std::filesystem::path& folder, bool wait) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  folder_ = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.is_open()) return;
  int failed = 0;
  while ((failed = ::flock(folder_.get(), wait ? LOCK_EX : LOCK_EX | LOCK_NB)) != 0 && errno == EINTR)
    continue;
  held_ = failed == 0;
}

}  // namespace lacp
