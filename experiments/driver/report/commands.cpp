#include "report/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "analysis/pairs.hpp"
#include "common/layout.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "report/figures.hpp"
#include "report/report.hpp"
#include "report/tables.hpp"

namespace lacp {
namespace {

void print_note_on_missing(const Results& results) {
  const std::size_t failed = results.failed.size(), unfinished = results.missing.size() - failed,
                    stale = results.different.size();
  std::string notes;
  const auto add = [&notes](const std::string& note) {
    notes.append(notes.empty() ? "" : "; ").append(note);
  };
  if (results.cells.empty()) {
    add("no cell is finished, so nothing is written");
  } else {
    if (failed > 0) add(fmt::format("{} failed, `lacp status` says why", counted(failed, "task")));
    if (unfinished > 0)
      add(fmt::format("{} {} not finished", counted(unfinished, "task"), unfinished == 1 ? "is" : "are"));
    if (stale > 0)
      add(fmt::format("{} {} stale, made with other settings or data", counted(stale, "cell"),
                      stale == 1 ? "is" : "are"));
    if (notes.empty()) return;
    add("entries are marked");
  }
  if (unfinished + stale > 0) add("to do them: " + results.rerun);
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

std::size_t runs_in(const Frame& entries) {
  std::size_t runs = 0;
  for (const Row& entry : entries) runs += entry.count("runs");
  return runs;
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

}  // namespace

void make_tables(const Folders& folders, const std::string& format) {
  each(folders, [&](const Results& results) {
    const Frame entries = table_entries(results);
    write_table(results, entries);
    say("{}", shown_table(results, entries, format));
    if (format == "text")
      say("{}: wrote table.csv, table.tex, table_standalone.tex\n", results.folder.string());
  });
}

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
  // A page stays what it was; whoever reads it should know.
  if (const std::filesystem::path page = folder / "README.md";
      std::filesystem::exists(page) && !read_file(page).ends_with(cells_mark(results)))
    tell("{}: was written before these results; to write it again: lacp report {}\n", page.string(),
         shell_quoted(folder.string()));
}

void make_comparisons(const Folders& folders, const std::string& format) {
  const bool pair = folders.size() == 2;
  if (pair) {
    const Results base = load_results(folders[0]), changed = load_results(folders[1]);
    for (const Results* results : {&base, &changed}) print_note_on_missing(*results);
    say("{}", paired_text(base, changed, format));
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
    if (!pair || format == "text")
      say("{}: {} of {} numbers within 2 standard errors; {}\n", results.folder.string(),
          v["within_2_standard_errors"], v["numbers"], v["verdict"]);
  });
}

void make_figures(const Folders& folders) {
  std::vector<std::string> problems;
  each(folders, [&](const Results& results) {
    const Figures figures = write_figures(results);
    for (const std::string& figure : figures.there)
      say("{}\n", (results.folder / "figures" / (figure + ".svg")).string());
    std::ranges::copy(figures.problems, std::back_inserter(problems));
  });
  if (!problems.empty()) run_error("{}", join(problems, "; "));
}

void make_ablation(const Folders& groups, const std::filesystem::path& output) {
  Frame rows;
  for (const auto& group : groups) rows.append(ablate(group));
  write_ablation(rows, output);
  say("{}: wrote ablation.csv, README.md\n", output.string());
}

void make_report(const Folders& folders) {
  for (const auto& page : write_report(folders)) say("{}\n", page.string());
}

}  // namespace lacp
