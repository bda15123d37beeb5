// What is made of finished tasks: `lacp table`, `compare`, `figures`, `ablation` and `report`.
#include "commands/commands.hpp"
#include "lacp/base/text.hpp"
#include "report/commands.hpp"

namespace lacp {
namespace {

struct OutputOptions {
  Folders folders;
  std::string format = "text";
  std::filesystem::path output;
};

std::pair<CLI::App&, OutputOptions&> add_output(CLI::App& program, const char* name, const char* about,
                                                int (*action)(const OutputOptions&)) {
  const auto [command, o] = add_command(program, name, about, action);
  add(command, "folders", o.folders, "FOLDER", "results/<experiment>, one or more")->required();
  add_quiet(command);
  return {command, o};
}

void add_format(CLI::App& command, std::string& format, const std::vector<std::string>& formats) {
  command.add_option("--format", format, "how to print it (default: text)")
      ->check(CLI::IsMember(formats))
      ->type_name(join(formats, "|"));
}

}  // namespace

void add_outputs(CLI::App& program) {
  const auto [table, of_table] =
      add_output(program, "table", "Print the table of the results, and write table.csv and table.tex",
                 [](const OutputOptions& o) { return make_tables(o.folders, o.format), 0; });
  add_format(table, of_table.format, {"text", "csv", "latex", "markdown"});
  const auto [compare, of_compare] = add_output(
      program, "compare",
      "Compare two folders of results, task by task; and each that names a published table with that (comparison.csv, comparison.tex, verdicts.csv)",
      [](const OutputOptions& o) { return make_comparisons(o.folders, o.format), 0; });
  add_format(compare, of_compare.format, {"text", "csv", "markdown"});
  add_output(program, "figures", "Draw the figures, with their data beside them, in figures/",
             [](const OutputOptions& o) { return make_figures(o.folders), 0; });
  const auto [ablation, of_ablation] = add_output(
      program, "ablation", "Compare changed protocols with the unchanged ones (ablation.csv, README.md)",
      [](const OutputOptions& o) { return make_ablation(o.folders, o.output), 0; });
  add(ablation, "--output", of_ablation.output, "FOLDER", "folder for the files")->required();
  add_output(program, "report",
             "Remake all outputs and write README.md and index.html; takes results/ or experiments in it",
             [](const OutputOptions& o) { return make_report(o.folders), 0; });
}

}  // namespace lacp
