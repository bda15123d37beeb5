#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "datasets_folder.hpp"
#include "gather.hpp"
#include "grid.hpp"
#include "lacp/base/error.hpp"
#include "manifest.hpp"
#include "run.hpp"
#include "survey.hpp"

namespace lacp {
namespace {

void add_common_options(CLI::App& command, RunRequest& request) {
  command.add_option("--datasets", request.selection.datasets, "only these data sets, separated by commas")
      ->delimiter(',');
  command.add_option("--methods", request.selection.methods, "only these methods, separated by commas")
      ->delimiter(',');
  command.add_option("--runs", request.selection.runs, "another number of runs")
      ->check(CLI::Range(1, 100000));
  command.add_option("--set", request.set, "another value of a key, e.g. --set training.epochs=20")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--results", request.results, "folder for results")->capture_default_str();
  command.add_option("--datasets-folder", request.datasets_folder,
                     "folder of data set descriptions (default: LACP_DATASETS, or ./datasets)");
}

/// A folder of results stands for the experiment in its manifest.
int show_status(const RunRequest& request) {
  const bool is_folder = std::filesystem::is_directory(request.experiment);
  if (is_folder && !request.set.empty())
    user_error("--set goes with an experiment yaml; {} is a folder of results", request.experiment.string());
  const Experiment experiment =
      select(is_folder ? load_manifest(request.experiment) : load_experiment(request.experiment, request.set),
             request.selection);
  const auto results = is_folder ? std::filesystem::absolute(request.experiment / "..") : request.results;
  const Catalog catalog(datasets_folder(request.datasets_folder));
  fmt::print("{}", status_text(experiment, survey(experiment, catalog, results, grid(experiment))));
  return exit_done;
}

}  // namespace

void add_run_commands(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<RunRequest>();
  request->results = "results";

  CLI::App* run = app.add_subcommand("run", "Do what is missing of an experiment");
  run->add_option("experiment", request->experiment, "experiment yaml")->required();
  add_common_options(*run, *request);
  run->add_option("--jobs", request->jobs, "threads (default: SLURM_CPUS_PER_TASK, or as many as processors)")
      ->check(CLI::Range(1, 1024));
  run->add_option("--shard", request->shard,
                  "i/N: only the i-th of N shares (default: that of the Slurm array task, or everything)");
  run->add_option("--mirror", request->mirror, "folder in which files of data sets are looked for");
  CLI::Option* force = run->add_flag("--force", request->force, "do again what is done");
  run->add_flag_callback(
         "--only-missing", [] {}, "do what is not done (the default)")
      ->excludes(force);
  run->add_flag("--dry-run", request->dry_run, "print the tasks and do nothing");
  run->add_flag("--strict", request->strict, "a data set that is not at hand is a failure");
  run->callback([request, &exit_code] { exit_code = run_experiment(*request); });

  CLI::App* gather = app.add_subcommand("gather", "Bring together what the shards of an experiment left");
  const auto shards = std::make_shared<std::size_t>(0);
  gather->add_option("experiment", request->experiment, "experiment yaml")->required();
  gather->add_option("--shards", *shards, "how many there were")->required()->check(CLI::Range(1, 1000000));
  add_common_options(*gather, *request);
  gather->callback([request, shards, &exit_code] { exit_code = gather_shards(*request, *shards); });

  CLI::App* status = app.add_subcommand("status", "Say what is done of an experiment");
  status->add_option("experiment", request->experiment, "experiment yaml, or its folder of results")
      ->required();
  add_common_options(*status, *request);
  status->callback([request, &exit_code] { exit_code = show_status(*request); });
}

}  // namespace lacp
