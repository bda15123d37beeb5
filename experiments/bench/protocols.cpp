// Whole runs of the program.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/results.hpp"
#include "bench.hpp"
#include "datasets/load.hpp"
#include "lacp/base/error.hpp"
#include "lacp/conformal/classes/transformation_class.hpp"
#include "lacp/conformal/registry.hpp"

namespace lacp::bench {

namespace {

using Arguments = std::vector<std::string>;

struct Step {
  std::string key, name;
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
  return {{"first", "run, the first 1,000", command("run", {"--runs", "1000"})},
          {"rest", "run, the other 9,000", command("run")},
          {"status", "status", command("status"), 1.0},
          {"table", "table", {"table", (results / "many_tasks").string()}, 2.0}};
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
    context.report.number("load_cpu/" + step.key, used.cpu);
    const double seconds = std::min(used.wall, used.cpu);
    if (step.most_seconds > 0.0 && seconds > step.most_seconds)
      too_slow +=
          fmt::format("; {} took {:.2f} s, expected at most {} s", step.name, seconds, step.most_seconds);
  }
  std::filesystem::remove_all(folder);
  context.report.table(table);
  if (!too_slow.empty()) run_error("ten thousand tasks{}", too_slow);
}

namespace {

std::size_t attributes(const Catalog& catalog, const std::string& dataset) {
  const DatasetDescription description = catalog.find(dataset);
  if (is_synthetic(description)) return 3;  // 1, x and x²
  return description.attributes != 0 ? description.attributes : load_dataset(description).X.n_rows;
}

/// Seconds that the matrix products of all training steps take at the speed measured here.
double product_seconds(const Context& context, const Results& results) {
  const Experiment& experiment = results.experiment;
  const std::size_t batch =
      experiment.training.batch + (experiment.network.released.divide_by_origin ? 1 : 0);
  std::map<std::pair<std::size_t, std::size_t>, double> step_seconds;  // by inputs and outputs
  double sum = 0.0;
  for (const auto& [task, cell] : results.cells) {
    const double steps = cell.value("steps").value_or(0.0);
    if (steps == 0.0) continue;
    const std::size_t inputs = attributes(context.catalog, task.dataset);
    const auto& phi = find_method(task.method).transformation;
    const std::size_t outputs = phi == nullptr ? 0 : phi->outputs;
    const auto [found, is_new] = step_seconds.try_emplace({inputs, outputs}, 0.0);
    if (is_new) {
      Stream stream(3);
      Passes passes({.inputs = inputs,
                     .hidden = experiment.network.hidden,
                     .outputs = outputs,
                     .linear_first = experiment.network.released.linear_first},
                    batch, stream);
      found->second = shortest([&] { passes.forward(), passes.backward(); }, 0.2 * context.budget);
    }
    sum += steps * found->second;
  }
  return sum;
}

}  // namespace

void whole_protocols(Context& context) {
  context.report.section(
      "Whole protocols",
      "`lacp run` from start to end on the data sets that are there, once per number of threads. The share of matrix products is an estimate: training\nsteps times the measured time of a step's products, over the processor time of the run. Wall times mean nothing on a machine that is busy otherwise.");
  Frame table(
      {"protocol", "threads", "wall, s", "CPU, s", "speed-up", "products, % of CPU", "peak memory, MB"});
  const std::filesystem::path folder = context.lacp.parent_path() / "bench-results";
  for (const std::string protocol : {"paper", "release"}) {
    double alone = 0.0;
    for (const int threads : {1, 2}) {
      std::filesystem::remove_all(folder);
      const Usage used =
          run_child({context.lacp.string(), "run", (context.source / (protocol + ".yaml")).string(),
                     "--datasets-folder", context.catalog.folder().string(), "--results", folder.string(),
                     "--jobs", std::to_string(threads)});
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
