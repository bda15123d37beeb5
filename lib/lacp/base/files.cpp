#include "lacp/base/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "lacp/base/descriptor.hpp"
#include "lacp/base/error.hpp"

namespace lacp {
namespace fs = std::filesystem;

/// The name of a temporary file where a handler of signals finds it.
struct Temporary {
  enum State { free, taken, named };
  std::atomic<State> state{free};
  char name[PATH_MAX];
};

namespace {

std::array<Temporary, 64> temporary_files;  // those of one process at a time
std::atomic<bool> ending{false};

/// Where the process ends in another thread, this one does nothing any more.
void wait_if_ending() {
  while (ending) ::pause();
}

Temporary& take_temporary() {
  for (;; std::this_thread::yield())  // another thread will be done with its own
    for (Temporary& temporary : temporary_files)
      if (auto expected = Temporary::free;
          temporary.state.compare_exchange_strong(expected, Temporary::taken))
        return temporary;
}

std::string reason() { return std::strerror(errno); }

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

std::string host_name() {
  char host[65] = "host";
  ::gethostname(host, sizeof host - 1);
  return host;
}

/// Removes what processes of this machine left in a folder that were killed. They held a lock on their file,
/// which tells them from a process of the same number in another container.
void remove_files_of_killed(const fs::path& folder) {
  static std::mutex mutex;
  static std::set<fs::path> seen;  // guarded by it
  const std::lock_guard lock(mutex);
  if (!seen.insert(folder).second) return;
  const std::string host = fmt::format(".{}.", host_name());
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t at = name.rfind(host);
    if (!name.starts_with('.') || !name.ends_with(".tmp") || at == std::string::npos) continue;
    long process = 0;
    unsigned number = 0;
    int read = 0;
    const std::string rest = name.substr(at + host.size());
    if (std::sscanf(rest.c_str(), "%ld.%u.tmp%n", &process, &number, &read) != 2 ||
        static_cast<std::size_t>(read) != rest.size() || process <= 0 ||
        ::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH)
      continue;
    const Descriptor file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.is_open() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
  }
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
    if (!exists && errno == ELOOP) user_error("{}: is a loop of links; expected a file", name.string());
    is_regular = exists && S_ISREG(status.st_mode);
    std::error_code error;
    constexpr int most_links = 40;  // as the system has it
    for (int i = 0; i < most_links && (is_regular || !exists) && fs::is_symlink(path, error); ++i)
      path = path.parent_path() / fs::read_symlink(path, error);
    if (exists && S_ISDIR(status.st_mode))
      user_error("{}: is a folder; expected the name of a file", name.string());
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

void remove_temporary_files() noexcept {
  ending = true;
  for (const Temporary& temporary : temporary_files)
    if (temporary.state == Temporary::named) ::unlink(temporary.name);
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
  make_temporary(folder, target.exists ? 0600 : 0644);
  if (!target.exists) return;
  const auto [mode, uid, gid] =
      std::tuple(target.status.st_mode & 0777, target.status.st_uid, target.status.st_gid);
  const bool same_group =
      ::fchown(descriptor_, uid, gid) == 0 || ::fchown(descriptor_, static_cast<uid_t>(-1), gid) == 0;
  if (::fchmod(descriptor_, same_group ? mode : mode & 0707) != 0) give_up("keeping the mode");
}

/// The name is unique among the threads of this process and, by the host's name, among machines that share
/// the folder; another process of this number may have left one.
void NewFile::make_temporary(const fs::path& folder, unsigned mode) {
  static std::atomic<unsigned> counter{0};
  const std::string host = host_name();
  remove_files_of_killed(folder);
  temporary_ = &take_temporary();
  constexpr std::size_t most_letters = 100;  // of the file's own name
  do {
    wait_if_ending();
    const std::string name =
        (folder / fmt::format(".{}.{}.{}.{}.tmp", path_.filename().string().substr(0, most_letters), host,
                              ::getpid(), counter.fetch_add(1)))
            .string();
    if (name.size() >= PATH_MAX) errno = ENAMETOOLONG, give_up("creating a temporary file");
    std::ranges::copy(name, temporary_->name).out[0] = '\0';
    temporary_->state = Temporary::named;
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor_ < 0) temporary_->state = Temporary::taken;
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) give_up("creating a temporary file");
  ::flock(descriptor_,
          LOCK_SH | LOCK_NB);  // for remove_files_of_killed; where there are no locks, none are needed
  if (ending) ::unlink(temporary_->name);
}

NewFile::~NewFile() {
  wait_if_ending();
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_ == nullptr) return;
  if (temporary_->state == Temporary::named) ::unlink(temporary_->name);
  temporary_->state = Temporary::free;
}

void NewFile::give_up(std::string_view step) const {
  const std::string why = reason();
  wait_if_ending();
  run_error("{}: {} failed: {}{}", path_.string(), step, why,
            temporary_ == nullptr ? "" : "; the file was left as it was");
}

void NewFile::append(std::string_view bytes) {
  if (!write_all(descriptor_, bytes)) give_up("writing");
}

void NewFile::keep() {
  if (temporary_ != nullptr && ::fsync(descriptor_) != 0) give_up("syncing");
  // A write error may show only here (network file systems).
  if (::close(std::exchange(descriptor_, -1)) != 0) give_up("closing");
  if (temporary_ == nullptr) return;
  if (::rename(temporary_->name, path_.c_str()) != 0) give_up("renaming");
  temporary_->state = Temporary::free;
  temporary_ = nullptr;
  const Descriptor folder(::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) ::fsync(folder.get());  // some file systems refuse; the rename is still atomic
}

}  // namespace lacp
