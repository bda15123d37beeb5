// `lacp gather` and `lacp pack`: bring together what the tasks of an experiment left.
#include "common/frame.hpp"
#include "common/message.hpp"
#include "experiment/engine/plan.hpp"
#include "experiment/engine/units.hpp"
#include "experiment/run/run.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

std::string why_missing(const CellCheck& check, bool at_hand) {
  if (check.failure) return "failed: " + check.failure->reason;
  if (!at_hand) return "the file of the data set is missing";
  if (check.state == CellState::changed) return "done with other settings or data";
  return check.state == CellState::damaged ? check.message : "not done";
}

}  // namespace

int gather_shards(const GatherOptions& options) {
  const Experiment experiment = select(load_experiment(options.experiment, options.set), options.selection);
  const Catalog catalog = open_catalog(options.datasets_folder);
  const fs::path folder = options.results / experiment.name;
  if (!task_files(folder).empty()) merge_cells(folder);
  try {
    if (std::error_code error; fs::exists(folder / "manifest.yaml", error)) update_units(folder, catalog);
  } catch (const UserError& problem) {  // a manifest that cannot be read; the next run writes another
    tell("{}\n", problem.what());
  }
  const Survey found = survey(experiment, catalog, options.results, grid(experiment));

  Frame missing({"shard", "dataset", "run", "method", "reason"});
  const auto shard_numbers = shards_of(experiment, catalog, options.shards);
  for (const auto& [task, check] : found.tasks) {
    if (check.state == CellState::done) continue;
    missing.add({shard_numbers.at(task), task.dataset, task.run, task.method,
                 why_missing(check, found.datasets.at(task.dataset).at_hand)});
  }
  if (!missing.rows.empty()) show("{}", to_text(missing));
  tell("{}: {}, {} done, {} missing\n", experiment.name, counted(found.tasks.size(), "task"),
       found.tasks.size() - missing.rows.size(), missing.rows.size());
  return missing.rows.empty() ? exit_done : exit_failed;
}

int pack_results(const std::vector<fs::path>& folders) {
  std::vector<Manifest> manifests;
  for (const auto& folder : folders) manifests.push_back(load_manifest(folder));  // is it one?
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::size_t written = merge_cells(folders[i], counting(manifests[i]));
    say("{}: {} written\n", folders[i].string(), counted(written, "file"));
  }
  return exit_done;
}

}  // namespace lacp
