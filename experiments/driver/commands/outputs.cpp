// `lacp table`, `compare`, `figures`, `ablation` and `report`
#include "report/outputs.hpp"

#include "commands/commands.hpp"

namespace lacp {
namespace {

std::pair<CLI::App&, OutputOptions&> add_output(CLI::App& program, const char* name, const char* about,
                                                int (*action)(const OutputOptions&)) {
  const auto [command, o] = add_command(program, name, about, action);
  add(command, "folders", o.folders, "FOLDER", "results/<experiment>, one or more")->required();
  add_quiet(command);
  return {command, o};
}

}  // namespace

void add_outputs(CLI::App& program) {
  const auto [table, of_table] = add_output(
      program, "table", "Print the table of the results, and write table.csv and table.tex", make_tables);
  const char* how = "how to print it (default: text)";
  add(table, "--format", of_table.format, "text|csv|latex|markdown|runs", how);
  const auto [compare, of_compare] = add_output(
      program, "compare",
      "Compare two folders of results, task by task; and each that names a published table with that (comparison.csv, comparison.tex, verdicts.csv)",
      make_comparisons);
  add(compare, "--format", of_compare.format, "text|csv|markdown", how);
  add_output(program, "figures", "Draw the figures, with their data beside them, in figures/", make_figures);
  const auto [ablation, of_ablation] = add_output(
      program, "ablation", "Compare changed experiments with the unchanged ones (ablation.csv, README.md)",
      make_ablation);
  add(ablation, "--output", of_ablation.output, "FOLDER", "folder for the files")->required();
  const auto [report, of_report] = add_output(
      program, "report",
      "Remake all outputs and write README.md and index.html, in results/ for all experiments in it, or in the folder of each that is named",
      make_report);
  add(report, "--article", of_report.article, "FILE",
      "write the numbers that this LaTeX file quotes and the references of its data sets, and no page");
}

}  // namespace lacp
