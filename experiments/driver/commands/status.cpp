// `lacp status`: what is done of an experiment. A folder of results stands for the one in its manifest.

#include "commands/commands.hpp"
#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "lacp/base/error.hpp"
#include "report/report.hpp"
#include "settings/experiment.hpp"
#include "store/manifest.hpp"
#include "store/store.hpp"

namespace lacp {
namespace {

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
  show("{}", status_text(experiment, survey(experiment, catalog, results, grid(experiment)), advice));
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
  add(command, "experiment", o.experiment, "EXPERIMENT", "experiment yaml, or its folder of results")
      ->required();
  add_task_options(command, o);
}

}  // namespace lacp
