// `lacp status`: what is done of an experiment. A folder of results stands for the one in its manifest.
// `lacp gather` and `lacp pack`: bring together what its tasks left.
#include <algorithm>

#include "common/frame.hpp"
#include "common/message.hpp"
#include "experiment/engine/plan.hpp"
#include "experiment/run/run.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

struct TaskCounts {
  std::size_t tasks = 0, done = 0, failed = 0;

  void add(const CellCheck& check) {
    tasks += 1;
    done += check.state == CellState::done ? 1 : 0;
    failed += check.failure ? 1 : 0;
  }
  std::string text() const {
    return fmt::format("{}, {} done, {} to run, {} failed", counted(tasks, "task"), done,
                       tasks - done - failed, failed);
  }
};

/// How many tasks are done, to run and failed, in all and per data set. A task counts once: what failed is
/// neither done nor to run. Then, where there are some, cells that do not count, and why tasks failed. As
/// csv, for programs: a line per data set.
std::string progress_text(const Experiment& experiment, const Survey& survey, bool csv) {
  TaskCounts total;
  std::size_t stale = 0;
  Failures failures;
  std::map<std::string, TaskCounts> counts;
  for (const auto& [task, check] : survey.tasks) {
    if (check.failure) failures[task] = *check.failure;
    stale += check.state == CellState::changed && !check.failure ? 1 : 0;
    total.add(check);
    counts[task.dataset].add(check);
  }
  if (csv) {
    std::string lines = "dataset,file,tasks,done,to_run,failed\n";
    for (const std::string& name : experiment.datasets) {
      const auto& [tasks, done, failed] = counts[name];
      lines +=
          fmt::format("{},{},{},{},{},{}\n", name, survey.datasets.at(name).at_hand ? "at hand" : "missing",
                      tasks, done, tasks - done - failed, failed);
    }
    return lines;
  }
  std::string text = fmt::format("{}: {}\n", experiment.name, total.text());
  std::size_t width = 0;
  for (const std::string& name : experiment.datasets) width = std::max(width, name.size());
  for (const std::string& name : experiment.datasets)
    text += fmt::format("  {:{}}  {}{}\n", name, width, counts[name].text(),
                        survey.datasets.at(name).at_hand ? "" : " (its file is missing)");
  if (stale > 0) text += fmt::format("{} stale: of other settings or data\n", counted(stale, "cell"));
  if (!failures.empty()) text += "failed:\n" + failures_text(failures);
  return text;
}

std::string why_missing(const CellCheck& check, bool at_hand) {
  if (check.failure) return "failed: " + *check.failure;
  if (!at_hand) return "data file missing";
  if (check.state == CellState::changed) return "other settings or data";
  return check.state == CellState::damaged ? check.message : "not done";
}

}  // namespace

int show_status(const StatusOptions& options) {
  const auto [base, source, results] = named_experiment(options);
  const Experiment experiment = select(base, options.selection);
  const Catalog catalog = open_catalog(options.datasets_folder);
  const Survey found = survey(experiment, catalog, results, grid(experiment));
  show("{}", progress_text(experiment, found, options.csv));
  return exit_done;
}

int gather_shards(const GatherOptions& options) {
  const auto [base, source, results] = named_experiment(options);
  const Experiment experiment = select(base, options.selection);
  const Catalog catalog = open_catalog(options.datasets_folder);
  const fs::path folder = results / experiment.name;
  if (!task_files(folder).empty()) merge_cells(folder);
  const Survey found = survey(experiment, catalog, results, grid(experiment));

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
