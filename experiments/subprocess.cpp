#include "subprocess.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "lacp/base/error.hpp"

namespace lacp {

int run_subprocess(const std::vector<std::string>& command, const std::filesystem::path& folder) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) run_error("cannot start {}: the system refuses a new process", command.front());
  if (child == 0) {
    if (chdir(folder.c_str()) == 0) execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) run_error("{}: lost track of the process", command.front());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace lacp
