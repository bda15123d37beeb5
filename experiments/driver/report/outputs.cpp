// What is made of finished tasks: `lacp table`, `compare`, `figures` and `report`.
#include "report/outputs.hpp"

#include <algorithm>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "report/analysis/pairs.hpp"
#include "report/report.hpp"
#include "report/tables.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// Says what is missing. UserError if nothing is finished.
Results load_finished(const fs::path& folder) {
  Results results = load_results(folder);
  if (results.in_part) return results;
  const std::size_t failed = results.failed.size(), unfinished = results.missing.size() - failed,
                    stale = results.different.size();
  std::vector<std::string> found;
  if (failed > 0) found.push_back(counted(failed, "task") + " failed (see `lacp status`)");
  if (unfinished > 0) found.push_back(counted(unfinished, "task") + " not finished");
  if (stale > 0) found.push_back(counted(stale, "cell") + " stale");
  const std::string notes = join(found, "; ");
  const std::string how = unfinished + stale > 0 ? "; to run them: " + results.rerun : "";
  // Without cells there is nothing to write, and perhaps something to lose: a table kept without its cells.
  if (results.cells.empty()) user_error("{}: no cell is finished; {}{}", folder.string(), notes, how);
  if (!notes.empty()) tell("{}: {}; entries are marked{}\n", folder.string(), notes, how);
  return results;
}

/// Sizes are in units of the mean |y| of the rows that the prediction is fitted on, which are drawn by these.
void print_note_on_units(const Results& base, const Results& changed) {
  std::vector<SettingChange> rows = changes(base.experiment, changed.experiment);
  std::erase_if(rows, [&](const SettingChange& change) {
    return change.key != "seed" && change.key != "predictor.cross_fit" && !change.key.starts_with("split.") &&
           !(change.key == "training.batch" && base.experiment.whole_batches);
  });
  if (!rows.empty())
    tell("{}, {}: ratios are inexact, in units of other rows ({})\n", base.folder.string(),
         changed.folder.string(), to_text(rows));
}

/// The sizes of two experiments on the tasks that both have.
std::string paired_text(const Results& base, const Results& changed) {
  const std::vector<SizeRatio> ratios = shared_sizes(base, changed);
  std::string text;
  std::size_t pairs = 0;
  for (const std::string& dataset : changed.experiment.datasets) {
    std::vector<std::vector<std::string>> lines = {
        {"method", "α", "size", "changed", "change, 95 % interval"}};
    for (const SizeRatio& r : ratios) {
      if (r.dataset != dataset) continue;
      pairs = std::max(pairs, r.ratio.n);
      const std::string change = percent_change(r.ratio) + (r.p_holm < error_rate ? " *" : "");
      lines.push_back({method_label(r.method), r.level.text(), short_mean_and_std(r.base),
                       short_mean_and_std(r.changed), r.is_touched() ? change : "as before"});
    }
    if (lines.size() > 1) text += fmt::format("data set {}\n{}\n", dataset, in_columns(lines, 2, true));
  }
  const std::vector<SettingChange> settings = changes(base.experiment, changed.experiment);
  const std::string notes[] = {
      fmt::format("{} (changed), {} (size).", changed.folder.string(), base.folder.string()),
      settings.empty() ? "Settings: the same." : "Settings: " + to_text(settings) + ".",
      fmt::format("Paired by run, up to {}; * significant at 5 % (Holm).", counted(pairs, "pair"))};
  for (const std::string& note : notes) text += wrapped(note) + "\n";
  return text;
}

std::string shown_table(const Results& results, const std::vector<Entry>& entries,
                        const std::string& format) {
  if (format == "csv") return table_csv(entries);
  if (format == "runs") return runs_csv(results);
  if (format == "latex") return table_tex(results, entries);
  return table_text(results, entries, has_colours(stdout));
}

std::size_t runs_in(const Frame& table) {
  std::size_t runs = 0;
  for (const Row& row : table) runs += row.count("runs");
  return runs;
}

/// Whether the table.csv that is there has more runs than these entries; not if it cannot be read.
bool has_more_runs(const fs::path& file, const std::vector<Entry>& entries) try {
  return fs::exists(file) && runs_in(read_frame(file)) > runs_in(parse_frame(table_csv(entries), ""));
} catch (const UserError&) {
  return false;
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

void print_agreement(const std::string& name, const TableComparison& comparison) {
  say("{}:\n", name);
  for (const auto& [what, value] : agreement_lines(comparison))
    if (!value.empty()) say("  {}: {}\n", what, value);
}

/// A run that has nothing to do writes nothing: its folder may be one that nobody may write.
bool has_text(const fs::path& file, const std::string& text) {
  std::error_code error;
  return fs::exists(file, error) && read_file(file) == text;
}

/// The name in the label of a table.tex: a folder that was renamed since then has another.
std::string labelled_name(const fs::path& file, const std::string& name) {
  const std::string text = fs::exists(file) ? read_file(file) : "", label = "\\label{table:lacp-";
  const std::size_t at = text.find(label);
  if (at == std::string::npos) return name;
  const std::string rest = text.substr(at + label.size());
  return rest.substr(0, rest.find('}'));
}

}  // namespace

int make_tables(const OutputOptions& o) {
  for (const auto& folder : o.folders) {
    const Results results = load_finished(folder);
    const std::vector<Entry> entries = table_entries(results);
    say("{}", shown_table(results, entries, o.format));
    std::fflush(stdout);  // it is there, whether or not it can be written
    write_table(results, entries);
    if (o.format == "text") say("{}: wrote its tables\n", results.folder.string());
  }
  return exit_done;
}

int make_comparisons(const OutputOptions& o) {
  std::vector<Results> all;
  for (const auto& folder : o.folders) all.push_back(load_finished(folder));
  if (all.size() == 2) {
    print_note_on_units(all[0], all[1]);
    say("{}", paired_text(all[0], all[1]));
  }
  for (const Results& results : all) {
    const auto references = load_references(results);
    if (!references) {
      if (all.size() != 2) say("{}: names no reference\n", results.folder.string());
      continue;
    }
    const TableComparison comparison =
        compare(table_entries(results), *references, results.experiment.reference.names);
    if (comparison.entries.empty()) continue;
    print_agreement(results.folder.string(), comparison);
    if (comparison.has_released()) print_agreement("the released program", compare_released(*references));
    std::fflush(stdout);
    write_comparison(results, comparison);
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

int make_report(const OutputOptions& o) {
  for (const auto& page : write_report(o.folders)) say("{}\n", page.string());
  return exit_done;
}

void finish_run(const fs::path& folder) {
  const FolderLock alone(folder);  // another run that ends now sees what this one wrote
  const Results results = load_table_results(folder);
  if (results.cells.empty()) return;
  const std::vector<Entry> entries = table_entries(results);
  say("\n{}", shown_table(results, entries, "text"));
  std::fflush(stdout);
  const std::size_t to_do = results.missing.size() - results.failed.size() + results.different.size();
  if (to_do > 0 && has_more_runs(folder / "table.csv", entries))
    tell("{}: table.csv has more runs and stays; {} to do\n", folder.string(), counted(to_do, "task"));
  else if (!has_text(folder / "table.csv", table_csv(entries)) ||
           !has_text(folder / "table.tex", table_tex(results, entries)))
    write_table(results, entries);
  if (to_do == 0) remove_old_intervals(results);
}

void write_tables(const fs::path& folder, const fs::path& output) {
  Results results = load_table_results(folder);
  results.experiment.name = labelled_name(folder / "table.tex", results.experiment.name);
  const std::vector<Entry> entries = table_entries(results);
  Results written = results;
  written.folder = output;
  write_table(written, entries);
  const auto references = load_references(results);
  if (!references) return;
  const TableComparison comparison = compare(entries, *references, results.experiment.reference.names);
  if (!comparison.entries.empty()) write_comparison(written, comparison);
}

}  // namespace lacp
