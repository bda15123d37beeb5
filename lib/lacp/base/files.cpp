#include "lacp/base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <tuple>
#include <vector>

#include "lacp/base/descriptor.hpp"
#include "lacp/base/error.hpp"

namespace lacp {
namespace fs = std::filesystem;

namespace {

std::string reason() { return std::strerror(errno); }

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Removes temporary files that killed processes left in a folder, if they are too old to be written right
/// now.
void remove_leftovers(const fs::path& folder) {
  using namespace std::chrono_literals;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') || !name.ends_with(".tmp") || name.find(".lacp-") == std::string::npos)
      continue;
    std::error_code gone;  // renamed meanwhile by the process that writes it
    const auto written = entry.last_write_time(gone);
    if (!gone && fs::file_time_type::clock::now() - written > 1h) fs::remove(entry.path(), gone);
  }
}

/// A name beside this file, unique among the threads of this process and, by the host's name, among machines
/// that share the folder; another process of this number may have left one.
fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  constexpr std::size_t most_letters = 100;  // of the file's own name
  char host[65] = "host";
  ::gethostname(host, sizeof host - 1);
  const fs::path folder = folder_of(path);
  remove_leftovers(folder);
  return folder / fmt::format(".{}.lacp-{}.{}.{}.tmp", path.filename().string().substr(0, most_letters), host,
                              ::getpid(), counter.fetch_add(1));
}

std::mutex inputs_mutex;
std::vector<fs::path> inputs;  // guarded by it

/// What a name leads to.
struct Target {
  fs::path path;  ///< behind all links, whether it exists or not
  struct stat status {};
  bool exists = false, is_regular = false;

  explicit Target(const fs::path& name) : path(name) {
    if (path.empty()) user_error("'': is no name of a file");
    exists = ::stat(path.c_str(), &status) == 0;
    if (!exists && errno == ELOOP) user_error("{}: is a loop of links", name.string());
    is_regular = exists && S_ISREG(status.st_mode);
    std::error_code error;
    constexpr int most_links = 40;  // as the system has it
    for (int i = 0; i < most_links && (is_regular || !exists) && fs::is_symlink(path, error); ++i)
      path = path.parent_path() / fs::read_symlink(path, error);
    if (exists && S_ISDIR(status.st_mode)) user_error("{}: is a folder, not a file", name.string());
    if (!is_regular) return;
    const std::lock_guard lock(inputs_mutex);
    for (const fs::path& input : inputs) {
      struct stat piped {};
      if (input == "-" ? ::fstat(STDIN_FILENO, &piped) == 0 && piped.st_ino == status.st_ino &&
                             piped.st_dev == status.st_dev
                       : fs::equivalent(input, path, error))
        user_error("{}: is the same file as {}, which is read; expected another name", name.string(),
                   input == "-" ? "standard input" : input.string());
    }
  }
};

}  // namespace

std::string read_file(const fs::path& path, std::size_t most) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!descriptor.is_open() || ::fstat(descriptor.get(), &status) != 0)
    user_error("{}: cannot be read: {}", path.empty() ? "''" : path.string(), reason());
  if (!S_ISREG(status.st_mode)) user_error("{}: is not a file", path.string());
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > most) user_error("{}: has {} bytes; at most {} are read", path.string(), size, most);
  std::string bytes;
  if (!read_all(descriptor.get(), bytes, size)) user_error("{}: cannot be read: {}", path.string(), reason());
  return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
  NewFile file(path);
  file.append(bytes);
  file.keep();
}

void protect_input(const fs::path& path) {
  const std::lock_guard lock(inputs_mutex);
  if (std::ranges::find(inputs, path) == inputs.end()) inputs.push_back(path);
}

void check_writable(const fs::path& path) {
  const Target target(path);
  if (target.is_regular || !target.exists)
    NewFile{path};
  else if (::access(target.path.c_str(), W_OK) != 0)
    run_error("{}: cannot be written: {}", path.string(), reason());
}

NewFile::NewFile(const fs::path& path) : NewFile() {  // so that the destructor runs, whatever is thrown here
  const Target target(path);
  path_ = target.path;
  if (target.exists && !target.is_regular) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor_ < 0) give_up("opening");
    return;
  }
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {  // --output /dev/stdout >> file
    struct stat ours {};
    if (!target.exists || ::fstat(output, &ours) != 0 || ours.st_ino != target.status.st_ino ||
        ours.st_dev != target.status.st_dev)
      continue;
    descriptor_ = ::fcntl(output, F_DUPFD_CLOEXEC, 0);
    return;
  }
  const fs::path folder = folder_of(path_);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) run_error("{}: the folder cannot be made: {}", folder.string(), error.message());
  // Until it is settled who may read it, only the owner can.
  open_temporary(folder, target.exists ? 0600 : 0644);
  if (!target.exists) return;
  const auto [mode, uid, gid] =
      std::tuple(target.status.st_mode & 0777, target.status.st_uid, target.status.st_gid);
  const bool same_group =
      ::fchown(descriptor_, uid, gid) == 0 || ::fchown(descriptor_, static_cast<uid_t>(-1), gid) == 0;
  if (::fchmod(descriptor_, same_group ? mode : mode & 0707) != 0) give_up("keeping the mode");
}

/// A file without a name, which is gone with this process; where the system has none, one with another name.
void NewFile::open_temporary(const fs::path& folder, unsigned mode) {
  in_place_ = false;
#ifdef O_TMPFILE
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (descriptor_ >= 0 && ::access(own_link().c_str(), F_OK) == 0) return;
  if (descriptor_ >= 0) ::close(descriptor_);
#endif
  do {
    temporary_ = temporary_name(path_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) give_up("creating a temporary file");
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

std::string NewFile::own_link() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

bool NewFile::take_name(const fs::path& name) const {
  return ::linkat(AT_FDCWD, own_link().c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

void NewFile::give_up(std::string_view step) const {
  run_error("{}: {} failed: {}{}", path_.string(), step, reason(),
            in_place_ ? "" : "; the file was left as it was");
}

void NewFile::append(std::string_view bytes) {
  if (!write_all(descriptor_, bytes)) give_up("writing");
}

void NewFile::keep() {
  if (!in_place_ && ::fsync(descriptor_) != 0) give_up("syncing");
  bool has_name = in_place_ || !temporary_.empty() || take_name(path_);
  while (!has_name && errno == EEXIST) {  // no link takes the place of another file
    temporary_ = temporary_name(path_);
    has_name = take_name(temporary_);
  }
  if (!has_name) give_up("naming");
  // A write error may show only here (network file systems).
  if (::close(std::exchange(descriptor_, -1)) != 0) give_up("closing");
  if (in_place_) return;
  if (!temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0) give_up("renaming");
  temporary_.clear();
  const Descriptor folder(::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) ::fsync(folder.get());  // some file systems refuse; the rename is still atomic
}

}  // namespace lacp
