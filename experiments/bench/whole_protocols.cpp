#include <fmt/format.h>

#include <map>

#include "analysis/results.hpp"
#include "child.hpp"
#include "datasets/load.hpp"
#include "lacp/conformal/classes/transformation_class.hpp"
#include "lacp/conformal/registry.hpp"
#include "sections.hpp"
#include "step_products.hpp"
#include "timing.hpp"

namespace lacp::bench {
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
      StepProducts products({.inputs = inputs,
                             .hidden = experiment.network.hidden,
                             .outputs = outputs,
                             .linear_first = experiment.network.released.linear_first},
                            batch, stream);
      found->second = shortest([&] { products.forward(), products.backward(), products.gradient(); },
                               0.2 * context.budget);
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
