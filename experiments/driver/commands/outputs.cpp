// What is made of finished tasks: `lacp table`, `compare`, `figures`, `ablation` and `report`.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "analysis/pairs.hpp"
#include "commands/commands.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "report/report.hpp"

namespace lacp {
namespace {

using Folders = std::vector<std::filesystem::path>;

struct OutputOptions {
  Folders folders;
  std::string format = "text";
  std::filesystem::path output, article;
};

void print_note_on_missing(const Results& results) {
  const std::size_t failed = results.failed.size(), unfinished = results.missing.size() - failed,
                    stale = results.different.size();
  std::string notes;
  const auto append = [&notes](const std::string& note) {
    notes.append(notes.empty() ? "" : "; ").append(note);
  };
  if (results.cells.empty()) {
    append("no cell is finished, so nothing is written");
  } else {
    if (failed > 0) append(fmt::format("{} failed, `lacp status` says why", counted(failed, "task")));
    if (unfinished > 0)
      append(fmt::format("{} {} not finished", counted(unfinished, "task"), unfinished == 1 ? "is" : "are"));
    if (stale > 0)
      append(fmt::format("{} {} stale, made with other settings or data", counted(stale, "cell"),
                         stale == 1 ? "is" : "are"));
    if (notes.empty()) return;
    append("entries are marked");
  }
  if (unfinished + stale > 0) append("to run them: " + results.rerun);
  tell("{}: {}\n", results.folder.string(), notes);
}

void each(const Folders& folders, const std::function<void(const Results&)>& action) {
  for (const auto& folder : folders) {
    const Results results = load_results(folder);
    print_note_on_missing(results);
    // Without cells there is nothing to write, and perhaps something to lose: a table kept without its cells.
    if (!results.cells.empty()) action(results);
  }
}

std::string shown_table(const Results& results, const Frame& entries, const std::string& format) {
  if (format == "csv") return table_csv(entries);
  if (format == "latex") return table_tex(results, entries);
  if (format == "markdown") return table_markdown(results, entries);
  return table_text(results, entries, has_colours(stdout));
}

/// Of the table.csv that is there; 0 if there is none that can be read.
std::size_t runs_in_table(const std::filesystem::path& folder) {
  try {
    return runs_in(read_table_csv(folder / "table.csv"));
  } catch (const UserError&) {
    return 0;
  }
}

/// Whether the files of the table are there as they would be written.
bool table_is_written(const Results& results, const Frame& entries) {
  const auto holds = [&](const char* name, const std::string& text) {
    std::error_code error;
    return std::filesystem::exists(results.folder / name, error) && read_file(results.folder / name) == text;
  };
  return holds("table.csv", table_csv(entries)) && holds("table.tex", table_tex(results, entries));
}

int make_tables(const OutputOptions& o) {
  each(o.folders, [&](const Results& results) {
    const Frame entries = table_entries(results);
    write_table(results, entries);
    say("{}", shown_table(results, entries, o.format));
    if (o.format == "text")
      say("{}: wrote table.csv, table.tex, table_standalone.tex\n", results.folder.string());
    for (const std::string& page : old_pages(results)) tell("{}\n", page);
  });
  return exit_done;
}

int make_comparisons(const OutputOptions& o) {
  const Folders& folders = o.folders;
  const bool pair = folders.size() == 2;
  if (pair) {
    const Results base = load_results(folders[0]), changed = load_results(folders[1]);
    for (const Results* results : {&base, &changed}) print_note_on_missing(*results);
    say("{}", paired_text(base, changed, o.format));
  }
  // Beside the comparison of the two, which a program may read, nothing more is printed.
  each(folders, [&](const Results& results) {
    const auto comparison = compare(results, table_entries(results));
    if (!comparison) {
      if (!pair) say("{}: names no reference to compare with\n", results.folder.string());
      return;
    }
    write_comparison(results, *comparison);
    const Row& v = comparison->overall();
    if (!pair || o.format == "text")
      say("{}: {} of {} numbers within 2 standard errors; {}\n", results.folder.string(),
          v["within_2_standard_errors"], v["numbers"], v["verdict"]);
  });
  return exit_done;
}

int make_figures(const OutputOptions& o) {
  std::vector<std::string> problems;
  each(o.folders, [&](const Results& results) {
    const Figures figures = write_figures(results);
    for (const std::string& figure : figures.there)
      say("{}\n", (results.folder / "figures" / (figure + ".svg")).string());
    std::ranges::copy(figures.problems, std::back_inserter(problems));
  });
  if (!problems.empty()) run_error("{}", join(problems, "; "));
  return exit_done;
}

int make_ablation(const OutputOptions& o) {
  Frame rows;
  for (const auto& group : o.folders) rows.append(ablate(group));
  write_ablation(rows, o.output);
  say("{}: wrote ablation.csv, README.md\n", o.output.string());
  return exit_done;
}

int make_report(const OutputOptions& o) {
  for (const auto& page : write_report(o.folders, o.article)) say("{}\n", page.string());
  return exit_done;
}

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

void finish_run(const std::filesystem::path& folder) {
  const FolderLock alone(folder);  // another run that ends now sees what this one wrote
  const Results results = load_table_results(folder);
  if (results.cells.empty()) return;
  const Frame entries = table_entries(results);
  const std::size_t to_do = results.missing.size() - results.failed.size() + results.different.size();
  if (to_do > 0 && runs_in_table(folder) > runs_in(entries))
    tell("{}: table.csv there has more runs and is left as it is, since {} still to be done\n",
         folder.string(), to_do == 1 ? "1 task is" : fmt::format("{} tasks are", to_do));
  else if (!table_is_written(results, entries))
    write_table(results, entries);
  say("\n{}", shown_table(results, entries, "text"));
  for (const std::string& page : old_pages(results)) tell("{}\n", page);
}

void add_outputs(CLI::App& program) {
  const auto [table, of_table] = add_output(
      program, "table", "Print the table of the results, and write table.csv and table.tex", make_tables);
  add_format(table, of_table.format, {"text", "csv", "latex", "markdown"});
  const auto [compare, of_compare] = add_output(
      program, "compare",
      "Compare two folders of results, task by task; and each that names a published table with that (comparison.csv, comparison.tex, verdicts.csv)",
      make_comparisons);
  add_format(compare, of_compare.format, {"text", "csv", "markdown"});
  add_output(program, "figures", "Draw the figures, with their data beside them, in figures/", make_figures);
  const auto [ablation, of_ablation] = add_output(
      program, "ablation", "Compare changed experiments with the unchanged ones (ablation.csv, README.md)",
      make_ablation);
  add(ablation, "--output", of_ablation.output, "FOLDER", "folder for the files")->required();
  const auto [report, of_report] = add_output(
      program, "report",
      "Remake all outputs and write README.md and index.html, in results/ for all experiments in it, or in the folder of each that is named",
      make_report);
  add(report, "--article", of_report.article, "FILE", "also write the numbers that this LaTeX file quotes");
}

}  // namespace lacp
