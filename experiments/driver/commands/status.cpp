// `lacp status`
#include "commands/commands.hpp"
#include "experiment/run/run.hpp"
#include "report/outputs.hpp"

namespace lacp {

void add_status(CLI::App& program) {
  const auto [command, o] = add_command<StatusOptions>(
      program, "status", "Show the progress of an experiment",
      [](const StatusOptions& options) { return show_status(options, old_pages_in); });
  add_task_options(command, o, "experiment: its yaml, its name, or its folder of results");
  command.add_flag("--csv", o.csv, "print a line per data set, for programs");
}

}  // namespace lacp
