#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>

#include "commands.hpp"
#include "lacp/base/error.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/data/load.hpp"
#include "results.hpp"
#include "sections.hpp"
#include "step_floor.hpp"
#include "timing.hpp"

namespace lacp::bench {
namespace {

struct Usage {
  double wall = 0.0, cpu = 0.0;  // seconds
  double peak = 0.0;             // bytes of memory
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Runs a program on every core and waits for it.
Usage run(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) run_error("{}: cannot be started", command[0]);
  if (child == 0) {
    use_every_core();
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  // A task that failed is part of the work: the released code's settings make some trainings diverge.
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

std::size_t attributes(const Catalog& catalog, const std::string& dataset) {
  const DatasetDescription description = catalog.find(dataset);
  if (is_synthetic(description)) return 3;  // 1, x and x²
  return description.attributes != 0 ? description.attributes : load_dataset(description).X.n_rows;
}

/// Seconds that the matrix products of all training steps take at the speed measured here.
double product_seconds(const Context& context, const Results& results) {
  const Experiment& experiment = results.experiment;
  const std::size_t batch = experiment.training.batch + (experiment.network.divide_by_origin ? 1 : 0);
  std::map<std::pair<std::size_t, std::size_t>, double> step_seconds;  // by inputs and outputs
  double sum = 0.0;
  for (const auto& [task, cell] : results.cells) {
    const double steps = cell.value("steps").value_or(0.0);
    if (steps == 0.0) continue;
    const std::size_t inputs = attributes(context.catalog, task.dataset);
    const std::size_t outputs = find_method(task.method).outputs;
    const auto [found, is_new] = step_seconds.try_emplace({inputs, outputs}, 0.0);
    if (is_new) {
      Stream stream(3);
      StepFloor floor({.inputs = inputs,
                       .hidden = experiment.network.hidden,
                       .outputs = outputs,
                       .linear_first = experiment.network.linear_first},
                      batch, stream);
      found->second = shortest([&] { floor.products(); }, 0.2 * context.budget);
    }
    sum += steps * found->second;
  }
  return sum;
}

}  // namespace

void whole_protocols(Context& context) {
  context.report.section(
      "Whole protocols",
      "`lacp run` from start to end on the data sets at hand, once per number of threads. The share of "
      "matrix "
      "products is an estimate: training\nsteps times the measured time of a step's products, over the "
      "processor time of the run. Wall times mean nothing on a machine that is busy otherwise.");
  TextTable table{.header = {"protocol", "threads", "wall, s", "CPU, s", "speed-up", "products, % of CPU",
                             "peak memory, MB"},
                  .rows = {},
                  .source = ""};
  const std::filesystem::path folder = context.lacp.parent_path() / "bench-results";
  for (const std::string protocol : {"paper", "release"}) {
    double alone = 0.0;
    for (const int threads : {1, 2}) {
      std::filesystem::remove_all(folder);
      const Usage used = run({context.lacp.string(), "run", (context.source / (protocol + ".yaml")).string(),
                              "--datasets-folder", context.catalog.folder().string(), "--results",
                              folder.string(), "--jobs", std::to_string(threads)});
      if (threads == 1) alone = used.wall;
      const double share = product_seconds(context, load_results(folder / protocol)) / used.cpu;
      table.add({protocol, std::to_string(threads), display(used.wall, 1), display(used.cpu, 1),
                 display(alone / used.wall, 2), display(100.0 * share, 0), display(1e-6 * used.peak, 0)});
      const std::string key = fmt::format("{}/{}", protocol, threads);
      context.report.number("protocol_wall/" + key, used.wall);
      context.report.number("protocol_cpu/" + key, used.cpu);
      context.report.number("protocol_peak_bytes/" + key, used.peak);
      context.report.number("protocol_product_share/" + key, share);
    }
  }
  std::filesystem::remove_all(folder);
  context.report.table(table);
}

}  // namespace lacp::bench
