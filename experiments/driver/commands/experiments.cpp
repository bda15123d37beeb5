// The commands around an experiment: run, status, verify, gather, pack, export, and what shows its results.
#include "commands/commands.hpp"
#include "experiment/engine/plan.hpp"
#include "experiment/run/run.hpp"
#include "report/outputs.hpp"

namespace lacp {
namespace {

std::pair<CLI::App&, OutputOptions&> add_output(CLI::App& program, const char* name, const char* about,
                                                int (*action)(const OutputOptions&)) {
  const auto [command, o] = add_command(program, name, about, action);
  add(command, "folders", o.folders, "FOLDER", "results/<experiment> ...")->required();
  add_quiet(command);
  return {command, o};
}

}  // namespace

void add_outputs(CLI::App& program) {
  const auto [table, of_table] =
      add_output(program, "table", "Print the results, and write table.csv and table.tex", make_tables);
  add(table, "--format", of_table.format, "text|csv|latex|runs", "how to print (default: text)");
  add_output(program, "compare", "Compare with other results", make_comparisons);
  add_output(program, "figures", "Draw figures, with their data", make_figures);
  add_output(program, "report", "Remake all outputs and pages", make_report);
}

void add_run(CLI::App& program) {
  const auto [command, o] =
      add_command<RunOptions>(program, "run", "Run an experiment's tasks",
                              [](const RunOptions& options) { return run_experiment(options, finish_run); });
  add_task_options(command, o);
  add_jobs(command, o.jobs);
  add(command, "--shard", o.shard, "I/N", "a share of the tasks");
  command.add_flag("--force", o.force, "do again what is done");
  command.add_flag("--retry-failed", o.retry_failed, "try failed tasks again");
  command.add_flag("--dry-run", o.dry_run, "print the tasks only");
  command.add_flag("--strict", o.strict, "missing data are failures");
  add_quiet(command);
}

void add_status(CLI::App& program) {
  const auto [command, o] = add_command<StatusOptions>(program, "status", "Show what is done", show_status);
  add_task_options(command, o);
  command.add_flag("--csv", o.csv, "print a line per data set");
}

void add_verify(CLI::App& program) {
  const auto [command, o] = add_command<VerifyOptions>(
      program, "verify", "Compute results again and compare them; writes nothing",
      [](const VerifyOptions& options) { return verify_results(options, write_tables); });
  add(command, "folder", o.folder, "FOLDER", "results/<experiment>")->required();
  add(command, "--sample", o.sample, "N", "cells to draw (default: all)")->check(CLI::Range(1, 100000000));
  add(command, "--seed", o.seed, "N", "of the draw")->capture_default_str();
  command.add_flag("--allow-missing", o.allow_missing, "missing tasks are no failure");
  add_jobs(command, o.jobs);
  add_datasets_folder(command, o.datasets_folder);
  command.footer("Exit codes: 0 all agree; 1 something differs or is missing; 2 nothing could be compared.");
}

void add_gather(CLI::App& program) {
  const auto [command, o] = add_command(program, "gather", "Join the results of shards", gather_shards);
  add(command, "--shards", o.shards, "N", "how many there are")
      ->required()
      ->check(CLI::Range(1LL, most_shards));
  add_task_options(command, o);
}

void add_pack(CLI::App& program) {
  const auto [command, folders] = add_command(
      program, "pack", "Join cells of killed runs and shards into one csv per data set", pack_results);
  add(command, "folders", folders, "FOLDER", "results/<experiment> ...")->required();
  add_quiet(command);
}

void add_export(CLI::App& program) {
  const auto [command, o] = add_command(program, "export", "Write rows for other programs", export_rows);
  add_experiment(command, o.experiment, "a yaml, or its name");
  add_datasets(command, o.datasets);
  add(command, "--run", o.run, "N", "which run (default: 0)");
  add(command, "--output", o.output, "FOLDER", "folder for the files")->required();
  add_datasets_folder(command, o.datasets_folder);
  add_quiet(command);
}

}  // namespace lacp
