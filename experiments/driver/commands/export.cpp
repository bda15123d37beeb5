// `lacp export`
#include "commands/commands.hpp"
#include "experiment/run/run.hpp"

namespace lacp {

void add_export(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "export",
                  "Write the rows of a run as its methods see them, for other programs: FOLDER/<dataset>.csv",
                  export_rows);
  add_experiment(command, o.experiment, "experiment: its yaml, or its name");
  add_datasets(command, o.datasets);
  add(command, "--run", o.run, "N", "which run, from 0 (default: 0)");
  add(command, "--output", o.output, "FOLDER", "folder for the files")->required();
  add_datasets_folder(command, o.datasets_folder);
  add_quiet(command);
}

}  // namespace lacp
