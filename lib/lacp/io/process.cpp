#include "lacp/io/process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

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

int open_output(const std::filesystem::path& output) {
  const int fd = output.empty() ? ::open("/dev/null", O_WRONLY | O_CLOEXEC)
                                : ::open(output.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) run_error("{}: cannot be written: {}", output.string(), std::strerror(errno));
  return fd;
}

struct ChildFiles {
  int input, output, messages;
};

// Between fork and exec only calls that are safe after a fork of a program with threads.
[[noreturn]] void become(const char* program, char* const* arguments, const ChildFiles& files,
                         const ProgramOptions& options) {
  const rlimit bytes{options.most_bytes, options.most_bytes};
  const rlimit seconds{options.most_seconds, options.most_seconds};
  const bool ready = (options.folder.empty() || ::chdir(options.folder.c_str()) == 0) &&
                     ::dup2(files.input, STDIN_FILENO) >= 0 && ::dup2(files.output, STDOUT_FILENO) >= 0 &&
                     (files.messages < 0 || ::dup2(files.messages, STDERR_FILENO) >= 0) &&
                     (options.most_bytes == 0 || ::setrlimit(RLIMIT_FSIZE, &bytes) == 0) &&
                     (options.most_seconds == 0 || ::setrlimit(RLIMIT_CPU, &seconds) == 0);
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

std::vector<char*> argument_list(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) run_error("waiting for a program failed: {}", std::strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& command, const ProgramOptions& options) {
  const std::string program = find_on_path(command.at(0));
  const std::vector<char*> arguments = argument_list(command);

  int channel[2] = {-1, -1};
  if (!options.show_messages && ::pipe2(channel, O_CLOEXEC) != 0)
    run_error("{}: no pipe: {}", program, std::strerror(errno));
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  int output = -1;
  try {
    output = open_output(options.output);
  } catch (const RunError&) {
    for (const int fd : {channel[0], channel[1], input}) ::close(fd);
    throw;
  }
  const pid_t child = ::fork();
  if (child == 0)
    become(
        program.c_str(), arguments.data(),
        {.input = input, .output = options.output_in_messages ? channel[1] : output, .messages = channel[1]},
        options);
  for (const int fd : {channel[1], input, output})
    if (fd >= 0) ::close(fd);
  if (child < 0) {
    if (channel[0] >= 0) ::close(channel[0]);
    run_error("{}: cannot be started: {}", program, std::strerror(errno));
  }
  ProgramResult result;
  if (channel[0] >= 0) {
    result.messages = read_messages(channel[0]);
    ::close(channel[0]);
  }
  result.status = wait_for(child);
  return result;
}

ProgramPipe::ProgramPipe(const std::vector<std::string>& command) {
  const std::string program = find_on_path(command.at(0));
  const std::vector<char*> arguments = argument_list(command);
  const ProgramOptions options{.most_bytes = 0, .most_seconds = 0};
  int output[2], messages[2];
  if (::pipe2(output, O_CLOEXEC) != 0) run_error("{}: no pipe: {}", program, std::strerror(errno));
  if (::pipe2(messages, O_CLOEXEC) != 0) {
    for (const int fd : output) ::close(fd);
    run_error("{}: no pipe: {}", program, std::strerror(errno));
  }
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  child_ = ::fork();
  if (child_ == 0)
    become(program.c_str(), arguments.data(), {.input = input, .output = output[1], .messages = messages[1]},
           options);
  for (const int fd : {input, output[1], messages[1]}) ::close(fd);
  output_ = output[0], messages_ = messages[0];
  if (child_ < 0) {
    for (const int fd : {output_, messages_}) ::close(fd);
    run_error("{}: cannot be started: {}", program, std::strerror(errno));
  }
}

ProgramPipe::~ProgramPipe() {
  if (output_ >= 0) ::close(output_);
  if (child_ > 0) ::kill(child_, SIGKILL), ::waitpid(child_, nullptr, 0);
  ::close(messages_);
}

int ProgramPipe::take_output() { return std::exchange(output_, -1); }

ProgramResult ProgramPipe::finish() {
  ProgramResult result{.status = 0, .messages = read_messages(messages_)};
  result.status = wait_for(std::exchange(child_, -1));
  return result;
}

}  // namespace lacp
