// What is made of finished tasks: table, compare, figures, ablation, report.
#include <functional>
#include <memory>

#include "commands/commands.hpp"
#include "report/commands.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

CLI::App* add_output_command(CLI::App& app, const char* name, const char* help,
                             std::function<void(const Folders&)> action) {
  CLI::App* command = app.add_subcommand(name, help);
  auto folders = std::make_shared<Folders>();
  command->add_option("folders", *folders, "results/<experiment>, one or more")
      ->required()
      ->type_name("FOLDER");
  add_quiet(*command);
  command->callback([folders, action = std::move(action)] { action(*folders); });
  return command;
}

}  // namespace

void add_output_commands(CLI::App& app) {
  auto format = std::make_shared<std::string>("text");
  CLI::App* table =
      add_output_command(app, "table", "Print the table of the results, and write table.csv and table.tex",
                         [format](const Folders& folders) { make_tables(folders, *format); });
  add_format(*table, *format, {"text", "csv", "latex", "markdown"});
  CLI::App* compare = add_output_command(
      app, "compare",
      "Compare two folders of results, task by task; and each that names a published table with that (comparison.csv, comparison.tex, verdicts.csv)",
      [format](const Folders& folders) { make_comparisons(folders, *format); });
  add_format(*compare, *format, {"text", "csv", "markdown"});
  add_output_command(app, "figures", "Draw the figures, with their data beside them, in figures/",
                     make_figures);
  auto output = std::make_shared<fs::path>();
  add_output_command(app, "ablation",
                     "Compare changed protocols with the unchanged ones (ablation.csv, README.md)",
                     [output](const Folders& groups) { make_ablation(groups, *output); })
      ->add_option("--output", *output, "folder for the files")
      ->type_name("FOLDER")
      ->required();
  add_output_command(
      app, "report",
      "Remake all outputs and write README.md and index.html; takes results/ or experiments in it",
      make_report);
}

}  // namespace lacp
