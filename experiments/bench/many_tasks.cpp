#include <fmt/format.h>

#include <algorithm>

#include "child.hpp"
#include "lacp/base/error.hpp"
#include "sections.hpp"

namespace lacp::bench {
namespace {

using Arguments = std::vector<std::string>;

struct Step {
  std::string key, name;
  Arguments arguments;
  double most_seconds = 0.0;  ///< 0: as long as it takes
};

std::vector<Step> steps(const Context& context, const std::filesystem::path& results) {
  const std::filesystem::path folder = context.source / "test/many_tasks";
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

}  // namespace lacp::bench
