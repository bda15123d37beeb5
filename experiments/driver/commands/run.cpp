// `lacp run` and what belongs to a run: status, gather, export, pack, verify.
#include "work/run.hpp"

#include <memory>

#include "commands/commands.hpp"
#include "common/exit_code.hpp"
#include "engine/shard.hpp"
#include "engine/units.hpp"
#include "lacp/base/text.hpp"
#include "report/commands.hpp"
#include "work/export.hpp"
#include "work/gather.hpp"
#include "work/status.hpp"
#include "work/verify.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

void add_common_options(CLI::App& command, RunRequest& request) {
  command.add_option("--datasets", request.selection.datasets, "only these data sets, separated by commas")
      ->delimiter(',')
      ->type_name("DATASETS");
  command.add_option("--methods", request.selection.methods, "only these methods, separated by commas")
      ->delimiter(',')
      ->type_name("METHODS");
  command.add_option("--runs", request.selection.runs, "another number of runs")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command.add_option("--set", request.set, "other values of keys, e.g. --set training.epochs=20 runs=3")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command.add_option("--results", request.results, "folder for results (default: results)")
      ->type_name("FOLDER");
  command
      .add_option("--name", request.selection.name,
                  "results go to <results>/NAME instead of <results>/<experiment>")
      ->type_name("NAME");
  command
      .add_option("--datasets-folder", request.datasets_folder,
                  "folder of data set descriptions (default: ./datasets, or LACP_DATASETS)")
      ->type_name("FOLDER");
}

void add_pack_command(CLI::App& app, int& exit_code) {
  CLI::App* pack = app.add_subcommand(
      "pack",
      "Bring the cells of killed runs and shards into one csv per data set, and drop what cannot count any more");
  auto folders = std::make_shared<std::vector<fs::path>>();
  pack->add_option("folders", *folders, "results/<experiment>, one or more")->required()->type_name("FOLDER");
  add_quiet(*pack);
  pack->callback([folders, &exit_code] { exit_code = pack_results(*folders); });
}

void add_verify_command(CLI::App& app, int& exit_code) {
  CLI::App* verify =
      app.add_subcommand("verify", "Compute cells of a folder again and compare the bytes; writes nothing");
  const auto request = std::make_shared<VerifyRequest>();
  verify->add_option("folder", request->folder, "results/<experiment>")->required()->type_name("FOLDER");
  verify->add_option("--sample", request->sample, "this many cells, drawn at random (default: all)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000000));
  verify
      ->add_option("--seed", request->seed,
                   "of the drawing: the same seed draws the same cells from the same data sets")
      ->type_name("N")
      ->capture_default_str();
  verify
      ->add_option("--jobs", request->jobs,
                   "threads (default: SLURM_CPUS_PER_TASK, or as many as processors)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  verify
      ->add_option("--datasets-folder", request->datasets_folder,
                   "folder of data set descriptions (default: ./datasets, or LACP_DATASETS)")
      ->type_name("FOLDER");
  verify->footer(
      "Exit codes: 0 all agree, 1 some differ, 2 no such folder, or cells made by another algorithm, with other settings or from other data.");
  verify->callback([request, &exit_code] { exit_code = verify_results(*request); });
}

}  // namespace

void add_run_commands(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<RunRequest>();
  request->results = "results";

  CLI::App* run = app.add_subcommand("run", "Run the missing tasks of an experiment");
  run->add_option("experiment", request->experiment, "experiment yaml")->required()->type_name("EXPERIMENT");
  add_common_options(*run, *request);
  run->add_option("--jobs", request->jobs, "threads (default: SLURM_CPUS_PER_TASK, or as many as processors)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  run->add_option("--shard", request->shard,
                  "i/N: only the i-th of N shares (default: that of the Slurm array task, or everything)")
      ->type_name("I/N");
  run->add_option("--mirror", request->mirror, "folder in which files of data sets are looked for")
      ->type_name("FOLDER");
  run->add_flag("--force", request->force, "do again what is done; replaces results of other settings");
  run->add_flag("--retry-failed", request->retry_failed, "try again what failed with the same settings");
  run->add_flag("--dry-run", request->dry_run, "print the tasks and do nothing");
  run->add_flag("--strict", request->strict, "a data set whose file is missing is a failure");
  add_quiet(*run);
  request->finished = [&datasets = request->datasets_folder](const fs::path& folder) {
    update_units(folder, datasets);
    finish_run(folder);
  };
  run->callback([request, &exit_code] { exit_code = run_experiment(*request); });

  CLI::App* gather = app.add_subcommand("gather", "Bring together what the shards of an experiment left");
  const auto shards = std::make_shared<std::size_t>(0);
  gather->add_option("experiment", request->experiment, "experiment yaml")
      ->required()
      ->type_name("EXPERIMENT");
  gather->add_option("--shards", *shards, "how many there were")
      ->required()
      ->type_name("N")
      ->check(CLI::Range(1LL, most_shards));
  add_common_options(*gather, *request);
  gather->callback([request, shards, &exit_code] { exit_code = gather_shards(*request, *shards); });

  CLI::App* exported = app.add_subcommand(
      "export", "Write the rows of a run as its methods see them, for other programs: FOLDER/<dataset>.csv");
  const auto rows = std::make_shared<ExportRequest>();
  exported->add_option("experiment", rows->experiment, "experiment yaml")
      ->required()
      ->type_name("EXPERIMENT");
  exported->add_option("--datasets", rows->datasets, "only these data sets, separated by commas")
      ->delimiter(',')
      ->type_name("DATASETS");
  exported->add_option("--run", rows->run, "which run, from 0 (default: 0)")->type_name("N");
  exported->add_option("--output", rows->output, "folder for the files")->required()->type_name("FOLDER");
  exported
      ->add_option("--datasets-folder", rows->datasets_folder,
                   "folder of data set descriptions (default: ./datasets, or LACP_DATASETS)")
      ->type_name("FOLDER");
  add_quiet(*exported);
  exported->callback([rows, &exit_code] { exit_code = export_rows(*rows); });

  CLI::App* status = app.add_subcommand("status", "Show the progress of an experiment");
  status->add_option("experiment", request->experiment, "experiment yaml, or its folder of results")
      ->required()
      ->type_name("EXPERIMENT");
  add_common_options(*status, *request);
  status->callback([request, &exit_code] { exit_code = show_status(*request); });
  add_pack_command(app, exit_code);
  add_verify_command(app, exit_code);
}

}  // namespace lacp
