#include "child.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "common/exit_code.hpp"
#include "lacp/base/error.hpp"
#include "timing.hpp"

namespace lacp::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

Usage run_child(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) run_error("{}: cannot be started", command[0]);
  if (child == 0) {
    use_every_core();
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);  // ours is the report
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code != exit_done && code != exit_failed)
    run_error("{} {} {}: failed; its messages are above", command[0], command[1], command[2]);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
#ifdef __APPLE__
  const double unit = 1.0;  // bytes
#else
  const double unit = 1024.0;
#endif
  return {wall.count(), seconds(used.ru_utime) + seconds(used.ru_stime),
          unit * static_cast<double>(used.ru_maxrss)};
}

}  // namespace lacp::bench
