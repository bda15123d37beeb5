// What is made of finished tasks: `lacp table`, `compare`, `figures`, `ablation` and `report`.
#include "report/outputs.hpp"

#include <algorithm>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "report/analysis/pairs.hpp"
#include "report/report.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// Tells what is missing. UserError if nothing is finished.
Results load_finished(const fs::path& folder) {
  Results results = load_results(folder);
  const std::size_t failed = results.failed.size(), unfinished = results.missing.size() - failed,
                    stale = results.different.size();
  std::vector<std::string> found;
  if (failed > 0) found.push_back(counted(failed, "task") + " failed, `lacp status` says why");
  if (unfinished > 0)
    found.push_back(counted(unfinished, "task") + (unfinished == 1 ? " is" : " are") + " not finished");
  if (stale > 0)
    found.push_back(counted(stale, "cell") + (stale == 1 ? " is" : " are") +
                    " stale, made with other settings or data");
  const std::string notes = join(found, "; ");
  const std::string how = unfinished + stale > 0 ? "; to run them: " + results.rerun : "";
  // Without cells there is nothing to write, and perhaps something to lose: a table kept without its cells.
  if (results.cells.empty())
    user_error("{}: no cell is finished, so nothing is written; {}{}", results.folder.string(), notes, how);
  if (!notes.empty()) tell("{}: {}; entries are marked{}\n", results.folder.string(), notes, how);
  return results;
}

/// Of every run, in the form in which they are kept without their cells.
std::string runs_csv(const Results& results) {
  std::map<Task, Cell> cells = results.cells;
  for (const auto& [task, failure] : results.failed)
    if (!failure.settings.empty())
      cells[task] = {
          .task = task, .settings = failure.settings, .data = "", .values = {}, .failure = failure.reason};
  return kept_csv(cells);
}

/// Sizes are in units of the mean |y| of the rows that the prediction is fitted on, which are drawn by these.
void print_note_on_units(const Results& base, const Results& changed) {
  std::vector<SettingChange> rows = changes(base.experiment, changed.experiment);
  std::erase_if(rows, [&](const SettingChange& change) {
    return change.key != "seed" && !change.key.starts_with("split.") &&
           !(change.key == "training.batch" && base.experiment.whole_batches);
  });
  if (!rows.empty())
    tell("{}, {}: sizes are in units of the mean |y| of other rows ({}), so ratios of them are inexact\n",
         base.folder.string(), changed.folder.string(), to_text(rows));
}

std::string shown_table(const Results& results, const Frame& entries, const std::string& format) {
  if (format == "csv") return table_csv(entries);
  if (format == "runs") return runs_csv(results);
  if (format == "latex") return table_tex(results, entries);
  if (format == "markdown") return table_markdown(results, entries);
  return table_text(results, entries, has_colours(stdout));
}

/// Of the table.csv that is there; 0 if there is none that can be read.
std::size_t runs_in_table(const fs::path& folder) try {
  return runs_in(read_table_csv(folder / "table.csv"));
} catch (const UserError&) {
  return 0;
}

/// Of data sets whose intervals are kept no longer.
void remove_old_intervals(const Results& results) {
  const std::vector<std::string>& kept = results.experiment.keep_intervals.datasets;
  std::vector<fs::path> old;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(results.folder / "intervals", error))
    if (const fs::path& file = entry.path();
        file.extension() == ".csv" && std::ranges::find(kept, file.stem().string()) == kept.end())
      old.push_back(file);
  for (const auto& file : old) fs::remove(file, error);
}

}  // namespace

int make_tables(const OutputOptions& o) {
  for (const auto& folder : o.folders) {
    const Results results = load_finished(folder);
    const Frame entries = table_entries(results);
    say("{}", shown_table(results, entries, o.format));
    std::fflush(stdout);  // it is there, whether or not it can be written
    write_table(results, entries);
    if (o.format == "text")
      say("{}: wrote table.csv, table.tex, table_standalone.tex\n", results.folder.string());
    for (const std::string& page : old_pages(results)) tell("{}\n", page);
  }
  return exit_done;
}

int make_comparisons(const OutputOptions& o) {
  std::vector<Results> all;
  for (const auto& folder : o.folders) all.push_back(load_finished(folder));
  const bool pair = all.size() == 2;
  if (pair) {
    print_note_on_units(all[0], all[1]);
    say("{}", paired_text(all[0], all[1], o.format));
  }
  // Beside the comparison of the two, which a program may read, nothing more is printed.
  for (const Results& results : all) {
    const auto comparison = compare(results, table_entries(results));
    if (!comparison) {
      if (!pair) say("{}: names no reference to compare with\n", results.folder.string());
      continue;
    }
    const Row& v = comparison->overall();
    if (!pair || o.format == "text")
      say("{}: {} of {} numbers within 2 standard errors; {}\n", results.folder.string(),
          v["within_2_standard_errors"], v["numbers"], v["verdict"]);
    std::fflush(stdout);
    write_comparison(results, *comparison);
  }
  return exit_done;
}

int make_figures(const OutputOptions& o) {
  std::vector<std::string> problems;
  for (const auto& folder : o.folders) {
    const Results results = load_finished(folder);
    const Figures figures = write_figures(results);
    for (const std::string& figure : figures.there)
      say("{}\n", (results.folder / "figures" / (figure + ".svg")).string());
    problems.insert(problems.end(), figures.problems.begin(), figures.problems.end());
  }
  if (!problems.empty()) run_error("{}", join(problems, "; "));
  return exit_done;
}

int make_ablation(const OutputOptions& o) {
  Ablation all;
  for (const auto& group : o.folders) {
    Ablation own = ablate(group);
    all.rows.append(own.rows);
    all.commits.merge(own.commits);
  }
  write_ablation(all, o.output);
  say("{}: wrote ablation.csv, README.md\n", o.output.string());
  return exit_done;
}

int make_report(const OutputOptions& o) {
  for (const auto& page : write_report(o.folders, o.article)) say("{}\n", page.string());
  return exit_done;
}

void finish_run(const fs::path& folder) {
  const FolderLock alone(folder);  // another run that ends now sees what this one wrote
  const Results results = load_table_results(folder);
  if (results.cells.empty()) return;
  const Frame entries = table_entries(results);
  say("\n{}", shown_table(results, entries, "text"));
  std::fflush(stdout);
  const auto is_written = [&](const char* name, const std::string& text) {
    std::error_code error;
    return fs::exists(folder / name, error) && read_file(folder / name) == text;
  };
  const std::size_t to_do = results.missing.size() - results.failed.size() + results.different.size();
  if (to_do > 0 && runs_in_table(folder) > runs_in(entries))
    tell("{}: table.csv there has more runs and is left as it is, since {} still to be done\n",
         folder.string(), to_do == 1 ? "1 task is" : fmt::format("{} tasks are", to_do));
  else if (!is_written("table.csv", table_csv(entries)) ||
           !is_written("table.tex", table_tex(results, entries)))
    write_table(results, entries);
  if (to_do == 0) remove_old_intervals(results);
  for (const std::string& page : old_pages(results)) tell("{}\n", page);
}

std::vector<std::string> old_pages_in(const fs::path& folder) try {
  std::error_code ignored;
  if (!fs::exists(folder / "README.md", ignored)) return {};
  return old_pages(load_table_results(folder));
} catch (const UserError&) {  // a damaged cell, which is told elsewhere
  return {};
}

std::string table_problem(const fs::path& folder) {
  const fs::path file = folder / "table.csv";
  std::error_code error;
  if (!fs::exists(file, error)) return "";
  const Results results = load_table_results(folder);
  if (!results.different.empty() || results.missing.size() > results.failed.size()) return "";
  const std::string difference = first_difference(read_file(file), table_csv(table_entries(results)));
  if (difference.empty()) return "";
  return fmt::format("{}: does not follow from the cells: {}; `lacp table {}` writes it again", file.string(),
                     difference, shell_quoted(folder.string()));
}

}  // namespace lacp
