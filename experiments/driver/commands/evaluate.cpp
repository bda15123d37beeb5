// `lacp evaluate`
#include "commands/commands.hpp"
#include "tool/predict/predict.hpp"

namespace lacp {

void add_evaluate(CLI::App& program) {
  const auto [command, o] = add_command(
      program, "evaluate", "Compare the intervals of a fitted model with what happened", evaluate_table);
  add_stream_options(command, o, " and the target", "rows that cannot be predicted are left out and counted");
  add(command, "--by", o.by, "COLUMN",
      "the same for each text in this column, too; 'missing' (unless a column is called so): for rows with the same cells missing");
  add(command, "--over", o.over, "COLUMN",
      "coverage by tenths of the rows in the order of this column of numbers or dates, too");
  command.add_flag("--json", o.json, "print the numbers as json");
  command.add_flag("--csv", o.csv, "print the numbers as csv");
  add(command, "--figure", o.figure, "FILE",
      "draw the histogram of the PIT, or with --over coverage in that order: svg or pdf, by its name");
}

}  // namespace lacp
