#include "common/process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "lacp/base/descriptor.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_message_bytes = 4096;

std::string find_on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split_text(path == nullptr ? "/usr/bin:/bin" : path, ':')) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + program;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  run_error("the program '{}' is not on PATH; install the package of that name", program);
}

/// A file without a name, for the owner alone: nothing is left of it, however we end.
Descriptor open_scratch(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::path place = folder.empty() ? std::filesystem::temp_directory_path(ignored) : folder;
  if (place.empty()) place = "/tmp";
  int fd = ::open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {  // not every file system has that
    std::string name = (place / ".lacp-XXXXXX").string();
    fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) ::unlink(name.c_str());
  }
  if (fd < 0) run_error("{}: no temporary file: {}", place.string(), std::strerror(errno));
  return Descriptor(fd);
}

/// The same with these bytes in it, to be read from its beginning.
Descriptor unnamed_file(std::string_view bytes, const std::filesystem::path& folder) {
  Descriptor file = open_scratch(folder);
  if (!write_all(file.get(), bytes)) run_error("temporary file: {}", std::strerror(errno));
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

struct Pipe {
  Descriptor read, write;
};

Pipe open_pipe(const std::string& program) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) run_error("{}: no pipe: {}", program, std::strerror(errno));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

struct ChildFiles {
  int input, output, messages;
};

/// No more than this, or than we may use ourselves; 0: nothing new. One second of processor time lies between
/// SIGXCPU, which tells why, and SIGKILL.
template <class Resource>
bool limit(Resource resource, rlim_t most) {
  rlimit now{};
  if (most == 0 || ::getrlimit(resource, &now) != 0) return most == 0;
  now.rlim_max = std::min(now.rlim_max, resource == RLIMIT_CPU ? most + 1 : most);
  now.rlim_cur = std::min({now.rlim_cur, now.rlim_max, most});
  return ::setrlimit(resource, &now) == 0;
}

// Between fork and exec only calls that are safe after a fork of a program with threads.
[[noreturn]] void become(const char* program, char* const* arguments, const ChildFiles& files,
                         const ProgramOptions& options, pid_t parent) {
  const bool ready = (options.folder.empty() || ::chdir(options.folder.c_str()) == 0) &&
                     ::dup2(files.input, STDIN_FILENO) >= 0 && ::dup2(files.output, STDOUT_FILENO) >= 0 &&
                     (files.messages < 0 || ::dup2(files.messages, STDERR_FILENO) >= 0) &&
                     limit(RLIMIT_FSIZE, options.most_bytes) && limit(RLIMIT_CPU, options.most_seconds) &&
                     limit(RLIMIT_DATA, options.most_memory) && ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
                     ::getppid() == parent;
  ::signal(SIGXFSZ, SIG_DFL);  // the limit ends the child even if this program ignores it
  if (ready) ::execv(program, arguments);
  ::_exit(127);
}

std::string read_messages(int fd) {
  std::string messages;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::string(trim(messages));
    const std::size_t room = most_message_bytes - messages.size();
    messages.append(buffer, std::min(room, static_cast<std::size_t>(got)));  // the rest is read and dropped
  }
}

pid_t start(const std::vector<std::string>& command, const ChildFiles& files, const ProgramOptions& options) {
  const std::string program = find_on_path(command.at(0));
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) become(program.c_str(), arguments.data(), files, options, parent);
  if (child < 0) run_error("{}: cannot be started: {}", program, std::strerror(errno));
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) run_error("waitpid failed: {}", std::strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& command, const ProgramOptions& options) {
  Pipe messages;
  if (!options.show_messages) messages = open_pipe(command.at(0));
  const Descriptor input =
      options.input_bytes.empty()
          ? Descriptor(
                ::open(options.input.empty() ? "/dev/null" : options.input.c_str(), O_RDONLY | O_CLOEXEC))
          : unnamed_file(options.input_bytes, options.scratch);
  if (!input.is_open()) run_error("{}: cannot be read: {}", options.input.string(), std::strerror(errno));
  const Descriptor output = options.keep_output ? open_scratch(options.scratch)
                                                : Descriptor(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const pid_t child = start(
      command, {.input = input.get(), .output = output.get(), .messages = messages.write.get()}, options);
  ProgramResult result;
  if (!options.show_messages) {
    messages.write = Descriptor();
    result.messages = read_messages(messages.read.get());
  }
  result.status = wait_for(child);
  if (!options.keep_output) return result;
  const off_t size = ::lseek(output.get(), 0, SEEK_END);
  if (size < 0 || ::lseek(output.get(), 0, SEEK_SET) != 0 ||
      !read_all(output.get(), result.output, static_cast<std::size_t>(size)))
    run_error("output cannot be read: {}", std::strerror(errno));
  return result;
}

std::string shell_quoted(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-./,=:").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace lacp
