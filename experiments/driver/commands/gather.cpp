// `lacp gather` and `lacp pack`
#include "commands/commands.hpp"
#include "experiment/engine/plan.hpp"
#include "experiment/run/run.hpp"

namespace lacp {

void add_gather(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "gather", "Bring together what the shards of an experiment left", gather_shards);
  add(command, "--shards", o.shards, "N", "how many there were")
      ->required()
      ->check(CLI::Range(1LL, most_shards));
  add_task_options(command, o);
}

void add_pack(CLI::App& program) {
  const auto [command, folders] = add_command(
      program, "pack",
      "Bring the cells of killed runs and shards into one csv per data set, with one cell for each task: that of the settings and data of manifest.yaml, else the newest",
      pack_results);
  add(command, "folders", folders, "FOLDER", "results/<experiment>, one or more")->required();
  add_quiet(command);
}

}  // namespace lacp
