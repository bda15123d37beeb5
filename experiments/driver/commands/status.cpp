// `lacp status`: what is done of an experiment. A folder of results stands for the one in its manifest.
#include <algorithm>

#include "commands/commands.hpp"
#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "report/report.hpp"
#include "settings/experiment.hpp"
#include "store/manifest.hpp"
#include "store/store.hpp"

namespace lacp {
namespace {

struct TaskCounts {
  std::size_t tasks = 0, done = 0, failed = 0;

  std::string text() const {
    return fmt::format("{}, {} done, {} to run, {} failed", counted(tasks, "task"), done,
                       tasks - done - failed, failed);
  }
};

/// "X tasks, Y done, Z to run, F failed" in all and per data set. A task counts once: what failed is neither
/// done nor to run. Then, where there are some, cells that do not count and `advice` about them, and why
/// tasks failed.
std::string progress_text(const Experiment& experiment, const Survey& survey, const std::string& advice) {
  TaskCounts total;
  std::size_t stale = 0;
  Failures failures;
  std::map<std::string, TaskCounts> counts;
  for (const SurveyedTask& item : survey.tasks) {
    const bool done = item.check.state == CellState::done;
    const bool failed = item.check.failure.has_value();
    if (failed) failures[item.task] = *item.check.failure;
    stale += item.check.state == CellState::changed && !failed ? 1 : 0;
    for (TaskCounts* c : {&total, &counts[item.task.dataset]})
      c->tasks += 1, c->done += done ? 1 : 0, c->failed += failed ? 1 : 0;
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

int show_status(const TaskOptions& options) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(options.experiment, ignored);
  if (is_folder && !options.set.empty())
    user_error("--set goes with an experiment yaml; {} is a folder of results", options.experiment.string());
  Experiment base;
  std::string again = run_command(options);
  if (is_folder) {
    const Manifest manifest = load_manifest(options.experiment);
    base = manifest.experiment, again = rerun_command(options.experiment, manifest);
  } else {
    base = load_experiment(options.experiment, options.set);
  }
  const Experiment experiment = select(base, options.selection);
  const auto results = is_folder ? folder_above(options.experiment) : options.results;
  std::string advice = "to run them again: " + again;
  try {
    if (!is_folder) check_owner(results / experiment.name, options.experiment, base, experiment);
  } catch (const UserError& error) {  // that command would be refused
    advice = error.what();
  }
  const Catalog catalog = open_catalog(options.datasets_folder);
  show("{}", progress_text(experiment, survey(experiment, catalog, results, grid(experiment)), advice));
  if (const auto folder = results / experiment.name; std::filesystem::exists(folder / "README.md", ignored))
    try {
      for (const std::string& page : old_pages(load_table_results(folder))) show("{}\n", page);
    } catch (const UserError&) {  // a damaged cell, which is told above
    }
  return exit_done;
}

}  // namespace

void add_status(CLI::App& program) {
  const auto [command, o] = add_command(program, "status", "Show the progress of an experiment", show_status);
  add_task_options(command, o, "experiment yaml, or its folder of results");
}

}  // namespace lacp
