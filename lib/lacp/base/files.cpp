#include "lacp/base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lacp/base/error.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

std::string reason() { return std::strerror(errno); }

/// Unique among the processes and threads of one machine, and, by the host name, among machines that share a
/// folder.
fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  char host[65] = "host";
  ::gethostname(host, sizeof host - 1);
  return path.parent_path() /
         fmt::format(".{}.{}.{}.{}.tmp", path.filename().string(), host, ::getpid(), counter.fetch_add(1));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void sync_folder(const fs::path& folder) {
  Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open())
    ::fsync(descriptor.get());  // some file systems refuse; the rename is still atomic
}

}  // namespace

std::string read_file(const fs::path& path, std::size_t most) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!descriptor.is_open() || ::fstat(descriptor.get(), &status) != 0)
    user_error("{}: cannot be read: {}", path.string(), reason());
  if (!S_ISREG(status.st_mode)) user_error("{}: is not a file", path.string());
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > most) user_error("{}: has {} bytes; at most {} are read", path.string(), size, most);
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::read(descriptor.get(), bytes.data() + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) user_error("{}: cannot be read: {}", path.string(), reason());
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
  NewFile file(path);
  file.append(bytes);
  file.keep();
}

NewFile::NewFile(fs::path path) : path_(std::move(path)) {
  const fs::path folder = folder_of(path_);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) run_error("{}: the folder cannot be made: {}", folder.string(), error.message());
  temporary_ = temporary_name(folder / path_.filename());
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor_ < 0) give_up("creating a temporary file");
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void NewFile::give_up(std::string_view step) const {
  run_error("{}: {} failed: {}; the file was left as it was", path_.string(), step, reason());
}

void NewFile::append(std::string_view bytes) {
  if (!write_all(descriptor_, bytes)) give_up("writing");
}

void NewFile::keep() {
  if (::fsync(descriptor_) != 0) give_up("syncing");
  // A write error may show only here (network file systems).
  if (::close(std::exchange(descriptor_, -1)) != 0) give_up("closing");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) give_up("renaming");
  temporary_.clear();
  sync_folder(folder_of(path_));
}

}  // namespace lacp
