#include "work/run_report.hpp"

#include <map>
#include <set>
#include <utility>

#include "common/message.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

std::string retry_command(const RunRequest& request, const std::optional<Shard>& shard,
                          const Failures& failures) {
  if (shard) return run_command(request, {}, {}, to_text(*shard)) + " --retry-failed";
  std::set<std::string> datasets, methods;
  for (const auto& [task, failure] : failures) datasets.insert(task.dataset), methods.insert(task.method);
  return run_command(request, {datasets.begin(), datasets.end()}, {methods.begin(), methods.end()}) +
         " --retry-failed";
}

void report_failures(const Work& work, const Failures& failures, std::size_t tasks,
                     const std::string& again) {
  constexpr std::size_t most_shown = 20;
  tell("{} of {} failed:\n", failures.size(), counted(tasks, "task"));
  std::map<std::string, std::size_t> times;
  for (const auto& [task, failure] : failures) ++times[failure.reason];
  std::size_t shown = 0, told = 0;
  for (const auto& [task, failure] : failures) {
    const std::size_t same = std::exchange(times[failure.reason], 0);  // told with the first of them
    if (same == 0 || ++shown > most_shown) continue;
    told += same;
    tell("  {}: {}{}\n", to_text(task), failure.reason,
         same > 1 ? fmt::format(" (and {} more for the same reason)", same - 1) : "");
  }
  if (shown > most_shown)
    tell("  ... and {} more, all in {}\n", failures.size() - told, (work.records / "failures.csv").string());
  tell("To try them again: {}\n", again);
}

void report_left_out(const Work& work, const std::vector<std::string>& names) {
  tell("left out, because their files are missing: {}\n", join(names, ", "));
  std::vector<std::string> to_fetch;
  for (const std::string& name : names) {
    const DatasetDescription& description = work.datasets.at(name);
    if (can_fetch(description))
      to_fetch.push_back(name);
    else
      tell("{}: {} is not there; {}\n", name, description.source->original.string(), how_to_get(description));
  }
  if (!to_fetch.empty()) tell("To get them: lacp datasets fetch {}\n", join(to_fetch, " "));
}

}  // namespace lacp
