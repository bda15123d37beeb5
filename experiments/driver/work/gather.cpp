#include "work/gather.hpp"

#include "common/exit_code.hpp"
#include "common/frame.hpp"
#include "common/message.hpp"
#include "datasets/datasets_folder.hpp"
#include "engine/shard.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "settings/grid.hpp"
#include "store/manifest.hpp"
#include "store/survey.hpp"

namespace lacp {
int gather_shards(const RunRequest& request, std::size_t shards) {
  const Experiment base = load_experiment(request.experiment, request.set);
  const Experiment experiment = select(base, request.selection);
  check_owner(request.results / experiment.name, request.experiment, base, experiment);
  const Catalog catalog = open_catalog(request.datasets_folder);
  const std::filesystem::path folder = request.results / experiment.name;
  if (!worker_folders(folder).empty())
    if (const std::size_t busy = merge_results(folder).busy; busy > 0)
      tell("{}: {} still at work; what they did counts, and waits for the next call\n", folder.string(),
           busy == 1 ? "1 worker is" : fmt::format("{} workers are", busy));
  const Survey found = survey(experiment, catalog, request.results, grid(experiment));

  Frame missing({"shard", "dataset", "run", "method", "reason"});
  const auto shard_numbers = shards_of(experiment, catalog, shards);
  for (const auto& [task, check] : found.tasks) {
    if (check.state == CellState::done) continue;
    missing.add({shard_numbers.at(task), task.dataset, task.run, task.method,
                 check.failure                              ? "failed: " + check.failure->reason
                 : !found.datasets.at(task.dataset).at_hand ? "the file of the data set is missing"
                 : check.state == CellState::changed        ? "done with other settings or data"
                 : check.state == CellState::damaged        ? check.message
                                                            : "not done"});
  }
  if (!missing.rows.empty()) fmt::print("{}", to_text(missing));
  tell("{}: {}, {} done, {} missing\n", experiment.name, counted(found.tasks.size(), "task"),
       found.tasks.size() - missing.rows.size(), missing.rows.size());
  return missing.rows.empty() ? exit_done : exit_failed;
}

int pack_results(const std::vector<std::filesystem::path>& folders) {
  for (const auto& folder : folders) load_manifest(folder);  // is it one?
  for (const auto& folder : folders) {
    const Merged merged = merge_results(folder);
    say("{}: {} written{}\n", folder.string(), counted(merged.files, "file"),
        merged.busy == 0 ? "" : fmt::format(", {} still at work", counted(merged.busy, "worker")));
  }
  return exit_done;
}

}  // namespace lacp
