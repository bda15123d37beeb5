// Whole runs of the program.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "bench.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"

namespace lacp::bench {
namespace {

using Arguments = std::vector<std::string>;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// What a program used.
struct Usage {
  double wall = 0.0, cpu = 0.0;  // seconds
  double peak = 0.0;             // bytes of memory
};

/// Runs a program, without its output, and waits for it. RunError unless it ends with exit_done.
Usage run_child(const Arguments& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) run_error("{}: cannot be started", command[0]);
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);  // ours is the report
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != exit_done)
    run_error("{} {} {}: failed; its messages are above", command[0], command[1], command[2]);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  return {wall.count(), seconds(used.ru_utime) + seconds(used.ru_stime),
          1024.0 * static_cast<double>(used.ru_maxrss)};
}

struct Step {
  std::string name;
  Arguments arguments;
  double most_seconds = 0.0;  ///< 0: as long as it takes
};

std::vector<Step> steps(const Context& context, const std::filesystem::path& results) {
  const std::filesystem::path folder = context.source / "test/runs/many_tasks";
  const Arguments options = {(folder / "many_tasks.yaml").string(), "--datasets-folder",
                             (folder / "datasets").string(), "--results", results.string()};
  const auto command = [&](const char* name, const Arguments& more = {}) {
    Arguments all = options;
    all.insert(all.begin(), name);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  return {{"run, the first 1,000", command("run", {"--runs", "1000"})},
          {"run, the other 9,000", command("run")},
          {"status", command("status"), 1.0},
          {"table", {"table", (results / "many_tasks").string()}, 2.0}};
}

}  // namespace

void many_tasks(Context& context) {
  context.report.section(
      "Ten thousand tasks",
      "A grid of the smallest tasks there are: what the program itself costs. Looking at them must not be a wait: at most one\nsecond for `lacp status` and two for `lacp table`, on the clock or, where others have the processors, of processor time.");
  const std::filesystem::path folder = context.lacp.parent_path() / "bench-load";
  std::filesystem::remove_all(folder);
  Frame table({"command", "wall, s", "CPU, s", "peak memory, MB"});
  std::string too_slow;
  for (const Step& step : steps(context, folder)) {
    Arguments command = step.arguments;
    command.insert(command.begin(), context.lacp.string());
    const Usage used = run_child(command);
    table.add({step.name, display(used.wall, 2), display(used.cpu, 2), display(1e-6 * used.peak, 1)});
    const double seconds = std::min(used.wall, used.cpu);
    if (step.most_seconds > 0.0 && seconds > step.most_seconds)
      too_slow +=
          fmt::format("; {} took {:.2f} s, expected at most {} s", step.name, seconds, step.most_seconds);
  }
  std::filesystem::remove_all(folder);
  context.report.table(table);
  if (!too_slow.empty()) run_error("ten thousand tasks{}", too_slow);
}

}  // namespace lacp::bench
