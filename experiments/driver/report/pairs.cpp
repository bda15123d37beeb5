#include "report/analysis/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/message.hpp"
#include "lacp/base/files.hpp"
#include "report/report.hpp"

namespace lacp {
namespace {

/// A change of the spread counts if it is at least this factor.
constexpr double notable = 2.0;

/// The rows at the first level, with Holm's correction over all of them that a change could touch.
Frame at_first_level(const Frame& rows) {
  Frame chosen = rows.where({{"alpha", rows.rows.front()["alpha"]}});
  correct_changes(chosen);
  return chosen;
}

bool differs(const Row& row) { return row.number("p_holm") < error_rate; }

/// Of "base" or "size".
double spread(const Row& row, const std::string& of) {
  return row.number(of + "_std") / row.number(of + "_mean");
}

std::string change_text(const Row& row, bool bold) {
  return percent(row.number("ratio"), row.number("lower"), row.number("upper"), bold);
}

std::string cell_text(const Row& row) {
  if (!is_base(row) && !is_touched(row)) return "as before";
  const std::size_t failed = row.count("runs_wanted") - row.count("runs");
  return mean_and_std(row, "size") + (is_base(row) ? "" : ", " + change_text(row, differs(row))) +
         (failed == 0 ? "" : fmt::format(" ({} failed)", failed));
}

/// The error fit where a change was tried.
Frame changed_error_fits(const Frame& rows) {
  return rows.where([](const Row& row) { return !is_base(row) && row["method"] == "erc_error_fit"; });
}

/// The changes after which a size differs significantly, and the error fit where a change makes its spread at
/// least twice or at most half as large.
std::string what_matters(const Frame& rows, const std::string& calming) {
  const std::vector<double> p = rows.numbers("p_holm");
  const auto tried = std::ranges::count_if(p, [](double value) { return !std::isnan(value); });
  Frame changes({"experiment", "changed", "data set", "method", "size", "size, changed", "change"});
  for (const Row& row : rows.where(differs))
    changes.add({row["protocol"], row["changed"], row["dataset"], method_label(row["method"]),
                 mean_and_std(row, "base"), mean_and_std(row, "size"), change_text(row, true)});
  Frame spreads(
      {"experiment", "changed", "data set", "std / mean", "std / mean, changed", "size", "size, changed"});
  for (const Row& row : changed_error_fits(rows))
    if (const double factor = spread(row, "size") / spread(row, "base");
        factor >= notable || factor <= 1.0 / notable)
      spreads.add({row["protocol"], row["changed"], row["dataset"], display(spread(row, "base"), 2),
                   display(spread(row, "size"), 2), mean_and_std(row, "base"), mean_and_std(row, "size")});
  std::string text = fmt::format(
      "## Which setting matters\n\nOf {} sizes that a change could touch (change, data set, method), {} provably {}{}\n\n",
      tried, changes.size(), changes.size() == 1 ? "differs" : "differ", changes.empty() ? "." : ":");
  if (!changes.empty()) text += to_markdown(changes) + "\n";
  if (!spreads.empty())
    text += fmt::format(
        "## What makes `erc_error_fit` unstable\n\nThe changes that make its spread over runs (std / mean) at least {:.0f} times as large or as small.{}\n\n{}\n",
        notable, calming.empty() ? "" : " " + calming + ".", to_markdown(spreads));
  return text;
}

}  // namespace

std::string ablation_document(const Frame& all) {
  std::string text = "# One setting at a time\n\n";
  if (all.empty()) return text + "Nothing was run.\n";
  text += fmt::format(
      "Size at α = {}, mean ± standard deviation over runs, of the experiments as they are and with a setting changed; then the change, paired by run, with its 95 % interval, bold where it is significant at 5 % after Holm's correction over all changes that this page shows. {} Measured by `make ablation`; [ablation.csv](ablation.csv) has all levels.\n\n",
      all.rows.front()["alpha"], overlap_words);
  const Frame rows = at_first_level(all);
  text += what_matters(rows, ablation_summary(all));
  for (const Frame& members : rows.by("group")) {
    WideTable table{.header = {"experiment", "changed", "data set"}};
    for (const Row& row : members)
      table.set({row["protocol"], is_base(row) ? "nothing" : row["changed"], row["dataset"]},
                method_label(row["method"]), cell_text(row));
    text += fmt::format("## {}, {}\n\n{}\n", join(members.distinct("dataset"), ", "),
                        counted(members.count(0, "runs_wanted"), "run"), table.markdown());
  }
  return text;
}

std::string ablation_summary(const Frame& all) {
  if (all.empty()) return "";
  const Frame fits = changed_error_fits(at_first_level(all));
  // A change calms the error fit if it does so on every data set it was tried on.
  std::vector<std::string> calming;
  for (const Frame& tried : fits.by("variant")) {
    if (!std::ranges::all_of(
            tried, [](const Row& row) { return spread(row, "size") * notable <= spread(row, "base"); }))
      continue;
    const std::string numbers = join_each(tried, ", ", [](const Row& row) {
      return fmt::format("{} → {} on {}", display(spread(row, "base"), 2), display(spread(row, "size"), 2),
                         row["dataset"]);
    });
    const Row& last = tried.rows.back();
    calming.push_back(fmt::format("`{}` in `{}` ({})", last["changed"], last["protocol"], numbers));
  }
  if (calming.empty()) return "";
  return fmt::format("Its spread (std / mean) falls to half or less on every data set tried with {}",
                     join(calming, "; with "));
}

void write_ablation(const Ablation& ablation, const std::filesystem::path& folder) {
  check_replaceable(folder / "README.md");
  const std::vector<std::string> commits(ablation.commits.begin(), ablation.commits.end());
  const std::string by = fmt::format("# Cells by lacp of commit {}.\n", join(commits, ", commit "));
  write_file(folder / "ablation.csv", by + to_text(ablation.rows));
  write_file(folder / "README.md", ablation_document(ablation.rows));
}

std::string paired_text(const Results& base, const Results& changed, const std::string& format) {
  const Frame rows = shared_sizes(base, changed);
  if (format == "csv") return to_text(rows.without("p_holm"));
  Frame table({"data set", "method", "α", "size", "changed", "change, 95 % interval"});
  for (const Row& row : rows)
    table.add({row["dataset"], method_label(row["method"]), row["alpha"], short_mean_and_std(row, "base"),
               short_mean_and_std(row, "size"),
               !is_touched(row) ? "as before" : change_text(row, false) + (differs(row) ? " *" : "")});
  const std::vector<SettingChange> settings = changes(base.experiment, changed.experiment);
  std::vector<std::string> notes = {
      fmt::format("{} (changed) against {} (size).", changed.folder.string(), base.folder.string()),
      settings.empty() ? "No setting that numbers depend on differs."
                       : "Settings: " + to_text(settings) + ".",
      fmt::format(
          "Sizes are means ± standard deviations over the runs that both have, and the change is paired by run, over up to {}; * marks what is significant at {:.0f} % after Holm's correction over all changes.",
          counted(static_cast<std::size_t>(std::ranges::max(rows.numbers("pairs"))), "pair"),
          100.0 * error_rate),
      "Intervals allow for runs that are splits of the same rows (Nadeau and Bengio, 2003)."};
  if (base.experiment.seed != changed.experiment.seed)
    notes.push_back(
        "The seeds differ, so that runs of the same number have nothing in common: the intervals are wider than with one seed.");
  if ((base.experiment.predictor.cross_fit == 0) != (changed.experiment.predictor.cross_fit == 0))
    notes.push_back(fmt::format("All sizes are in the unit of {}.", base.folder.string()));
  if (format == "markdown") return to_markdown(table) + "\n" + join(notes, " ") + "\n";
  std::string text;
  for (const Frame& dataset : table.by("data set")) {
    const Frame part = dataset.without("data set");
    std::vector<std::vector<std::string>> lines = {part.header()};
    for (const Row& row : part) lines.push_back(texts_of(row.fields, &Field::text));
    text += fmt::format("data set {}\n{}\n", dataset.rows[0]["data set"], in_columns(lines, 2, true));
  }
  for (const std::string& note : notes) text += wrapped(note) + "\n";
  return text;
}

}  // namespace lacp
