#include "work/run_report.hpp"

#include <set>

#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "store/survey.hpp"

namespace lacp {

std::string retry_command(const RunRequest& request, const std::optional<Shard>& shard,
                          const Failures& failures) {
  if (shard) return run_command(request, {}, {}, to_text(*shard)) + " --retry-failed";
  std::set<std::string> datasets, methods;
  for (const auto& [task, failure] : failures) datasets.insert(task.dataset), methods.insert(task.method);
  return run_command(request, {datasets.begin(), datasets.end()}, {methods.begin(), methods.end()}) +
         " --retry-failed";
}

void report_failures(const Failures& failures, std::size_t tasks, const std::string& again) {
  tell("{} of {} failed:\n{}To try them again: {}\n", failures.size(), counted(tasks, "task"),
       failures_text(failures), again);
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
