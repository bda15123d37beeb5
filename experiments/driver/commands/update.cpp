// `lacp update`
#include "tool/update.hpp"

#include "commands/commands.hpp"

namespace lacp {

void add_update(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "update", "Calibrate a fitted model by new rows with their targets", update_model);
  add_stream_options(command, o, " and the target", "rows that cannot be read are left out and counted");
  add(command, "--output", o.output, "FILE", "file for the new model; needed, but with --dry-run");
  add(command, "--known", o.known, "drop|keep",
      "rows that equal one that the model has seen, or are of a group that it has: leave them out, or take them for new (default: error)");
  add(command, "--group", o.group, "COLUMN",
      "column that says which rows belong together, of which one calibrates (default: that of the fit)");
  command.add_flag("--instead", o.instead, "calibrate by these rows alone (default: by the old ones, too)");
  add(command, "--window", o.window, "N",
      "calibrate by the newest N rows: the last of the table, or the first where a date of the model falls from row to row; where rows have groups, N of those that each stand for a group (default: all)");
  add(command, "--sides", o.sides, "both|each",
      "one quantile for both sides, or one for each, for rows that drift to one side (default: each, if the rows suffice: 19 for coverage 0.9, 39 for 0.95)");
  command.add_flag(
      "--dry-run", o.dry_run,
      "write nothing: print coverage and Winkler score of the newest fifth of the rows (at least 100, or half of fewer), as the model is and if those before them calibrated it");
}

}  // namespace lacp
