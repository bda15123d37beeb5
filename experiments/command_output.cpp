#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "ablation.hpp"
#include "commands.hpp"
#include "comparison.hpp"
#include "figures.hpp"
#include "message.hpp"
#include "report.hpp"
#include "table.hpp"

namespace lacp {
namespace {

using Folders = std::vector<std::filesystem::path>;

void print_note_on_missing(const Results& results) {
  if (results.cells.empty())
    tell("{}: no cell is finished yet\n", results.folder.string());
  else if (!results.missing.empty() || !results.different.empty())
    tell("{}: {} tasks are not finished, {} were made under other settings; entries are marked\n",
         results.folder.string(), results.missing.size(), results.different.size());
}

void add_command(CLI::App& app, const char* name, const char* help,
                 std::function<void(const Folders&)> action) {
  CLI::App* command = app.add_subcommand(name, help);
  auto folders = std::make_shared<Folders>();
  command->add_option("folders", *folders, "results/<experiment>, one or more")->required();
  command->callback([folders, action = std::move(action)] { action(*folders); });
}

void each(const Folders& folders, const std::function<void(const Results&)>& action) {
  for (const auto& folder : folders) {
    const Results results = load_results(folder);
    print_note_on_missing(results);
    action(results);
  }
}

void print_written(const Results& results, const char* files) {
  fmt::print("{}: wrote {}\n", results.folder.string(), files);
}

}  // namespace

void add_output_commands(CLI::App& app, int&) {
  add_command(app, "table", "Write Table 1 (table.csv, table.tex) from the cells",
              [](const Folders& folders) {
                each(folders, [](const Results& results) {
                  write_table(results);
                  print_written(results, "table.csv, table.tex, table_standalone.tex");
                });
              });
  add_command(app, "compare", "Compare with the published table (comparison.csv, .tex, verdicts.csv)",
              [](const Folders& folders) {
                each(folders, [](const Results& results) {
                  const auto comparison = compare(results);
                  if (!comparison) {
                    fmt::print("{}: names no reference to compare with\n", results.folder.string());
                    return;
                  }
                  write_comparison(results, *comparison);
                  const Verdict& v = comparison->overall;
                  fmt::print("{}: {} of {} numbers within 2 standard errors; {}\n", results.folder.string(),
                             v.within, v.numbers, v.text());
                });
              });
  add_command(app, "figures", "Draw the figures, with their data beside them, in figures/",
              [](const Folders& folders) {
                each(folders, [](const Results& results) {
                  for (const std::string& figure : write_figures(results))
                    fmt::print("{}\n", (results.folder / "figures" / (figure + ".svg")).string());
                });
              });
  CLI::App* ablation = app.add_subcommand(
      "ablation", "Compare changed protocols with the unchanged ones (ablation.csv, README.md)");
  auto groups = std::make_shared<Folders>();
  auto output = std::make_shared<std::filesystem::path>();
  ablation->add_option("groups", *groups, "folders with <variant>/<protocol>, one or more")->required();
  ablation->add_option("--output", *output, "folder for the files")->required();
  ablation->callback([groups, output] {
    std::vector<AblationRow> rows;
    for (const auto& group : *groups) std::ranges::copy(ablate(group), std::back_inserter(rows));
    write_ablation(rows, *output);
    fmt::print("{}: wrote ablation.csv, README.md\n", output->string());
  });
  add_command(app, "report", "Remake all outputs and write README.md; takes results/ or experiments in it",
              [](const Folders& folders) { fmt::print("{}\n", write_report(folders).string()); });
}

}  // namespace lacp
