// `lacp run`
#include "experiment/run/run.hpp"

#include "commands/commands.hpp"
#include "report/outputs.hpp"

namespace lacp {

void add_run(CLI::App& program) {
  const auto [command, o] =
      add_command<RunOptions>(program, "run", "Run the missing tasks of an experiment",
                              [](const RunOptions& options) { return run_experiment(options, finish_run); });
  add_task_options(command, o);
  add_jobs(command, o.jobs);
  add(command, "--shard", o.shard, "I/N",
      "i/N: only the i-th of N shares (default: that of the Slurm array task, or everything)");
  add(command, "--mirror", o.mirror, "FOLDER", "folder in which files of data sets are looked for");
  command.add_flag("--force", o.force, "do again what is done");
  command.add_flag("--retry-failed", o.retry_failed, "try again what failed with the same settings");
  command.add_flag("--dry-run", o.dry_run, "print the tasks and do nothing");
  command.add_flag("--strict", o.strict, "a data set whose file is missing is a failure");
  add_quiet(command);
}

}  // namespace lacp
