// `lacp verify`
#include "commands/commands.hpp"
#include "experiment/run/run.hpp"
#include "report/outputs.hpp"

namespace lacp {

void add_verify(CLI::App& program) {
  const auto [command, o] = add_command<VerifyOptions>(
      program, "verify",
      "Compute cells and failures of a folder again and compare; check its tables; writes nothing",
      [](const VerifyOptions& options) { return verify_results(options, table_problem); });
  add(command, "folder", o.folder, "FOLDER", "results/<experiment>")->required();
  CLI::Option* sample =
      add(command, "--sample", o.sample, "N", "this many cells and failures, drawn at random (default: all)")
          ->check(CLI::Range(1, 100000000));
  add(command, "--share", o.share, "P",
      "of each data set this share of its runs, at least one, drawn at random, with all methods; counts them by method")
      ->check(CLI::Range(0.0, 1.0))
      ->excludes(sample);
  add(command, "--seed", o.seed, "N",
      "of the drawing: the same seed draws the same cells from the same data sets")
      ->capture_default_str();
  command.add_flag("--allow-missing", o.allow_missing, "tasks that are not done are no failure");
  add_jobs(command, o.jobs);
  add_datasets_folder(command, o.datasets_folder);
  command.footer(
      "Exit codes: 0 all agree; 1 some differ, a task is missing, or table.csv or units.csv does not follow; 2 no such folder, or cells made by another version, with other settings or from other data.");
}

}  // namespace lacp
