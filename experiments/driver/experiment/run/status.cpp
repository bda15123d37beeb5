// `lacp status`: what is done of an experiment. A folder of results stands for the one in its manifest.
#include <algorithm>

#include "common/message.hpp"
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

/// "X tasks, Y done, Z to run, F failed" in all and per data set. A task counts once: what failed is neither
/// done nor to run. Then, where there are some, cells that do not count and `advice` about them, and why
/// tasks failed. As csv, for programs: a line per data set.
std::string progress_text(const Experiment& experiment, const Survey& survey, const std::string& advice,
                          bool csv) {
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
  if (stale > 0)
    text += fmt::format("{} {} stale: made with other settings or data, {} not count; {}\n",
                        counted(stale, "cell"), stale == 1 ? "is" : "are", stale == 1 ? "it does" : "they do",
                        advice);
  if (!failures.empty()) text += "failed:\n" + failures_text(failures);
  return text;
}

}  // namespace

int show_status(const StatusOptions& options, const OldPages& old_pages) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(options.experiment, ignored);
  if (is_folder && !options.set.empty())
    user_error("--set goes with an experiment yaml; {} is a folder of results", options.experiment.string());
  Experiment base;
  std::string again = run_command(options);
  if (is_folder) {
    const Manifest manifest = load_manifest(options.experiment);
    base = manifest.experiment;
    again = rerun_command(options.experiment, manifest);
  } else {
    base = load_experiment(options.experiment, options.set);
  }
  const Experiment experiment = select(base, options.selection);
  const auto results = is_folder ? folder_above(options.experiment) : options.results;
  const Catalog catalog = open_catalog(options.datasets_folder);
  const Survey found = survey(experiment, catalog, results, grid(experiment));
  show("{}", progress_text(experiment, found, "to run them again: " + again, options.csv));
  if (options.csv) return exit_done;
  for (const std::string& page : old_pages(results / experiment.name)) show("{}\n", page);
  return exit_done;
}

}  // namespace lacp
