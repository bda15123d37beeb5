#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/gnuplot.hpp"
#include "lacp/base/sums.hpp"
#include "report/analysis/choice.hpp"
#include "report/report.hpp"
#include "report/tables.hpp"

// The page of one experiment, and what it shares with the page on top.
namespace lacp {
namespace {

std::string opening(const ReportedExperiment& e, const std::string& prefix) {
  const Experiment& x = e.results.experiment;
  std::string text = fmt::format(
      "# {}\n\nExperiment `{}`: {}, {}, {}; {} of {} tasks done; [settings]({}manifest.yaml). Written by `lacp report`.\n\n",
      markdown_text(e.title()), x.name, counted(x.datasets.size(), "data set"),
      counted(x.methods.size(), "method"), counted(x.runs, "run"), e.done, e.wanted, prefix);
  if (!e.results.different.empty())
    text += fmt::format("{} stale and left out. To run them again: {}.\n\n",
                        counted(e.results.different.size(), "cell"), markdown_code(e.results.rerun));
  return text;
}

std::string ranks_section(const Results& results) {
  WideTable table{.header = {"method"}};
  for (const MethodRank& r : mean_ranks(results))
    table.set({method_label(r.method)}, "rank, α = " + r.level.text(),
              display(r.rank, 2) + (r.is_like_best() ? " °" : ""));
  if (table.rows.empty()) return "";
  return fmt::format("### Ranks\n\nBy Winkler score; °: not significantly worse than the best.\n\n{}\n",
                     table.markdown());
}

std::string costs_section(const Results& results) {
  const Level& level = drawn_level(results.experiment);
  const std::vector<MethodCost> all = costs(results, level);
  if (all.empty()) return "";
  Frame table({"method", "Winkler / fixed", "size / fixed", "hardest tenth"});
  for (const MethodCost& c : all)
    table.add({method_label(c.method), display(c.winkler, 2), display(c.size, 2), display(c.hardest, 2)});
  return fmt::format(
      "### Size and coverage\n\nα = {}, medians over data sets. Hardest tenth: coverage where the local error is largest.\n\n{}\n",
      level.text(), to_markdown(table));
}

/// Winkler scores of peers.csv beside ours over the same runs, at the drawn level.
std::string peers_section(const Results& results, const std::string& prefix) {
  const std::filesystem::path file = results.folder / "peers.csv";
  if (!std::filesystem::exists(file)) return "";
  const Level& level = drawn_level(results.experiment);
  std::map<std::pair<std::string, std::string>, std::vector<double>> scores;
  std::map<std::string, std::set<std::size_t>> runs;
  const Frame peers = read_frame(file);
  for (const Row& row : peers)
    if (has_dataset(results, row["dataset"]) && Level::parse(row["alpha"]) == level) {
      scores[{row["dataset"], row["method"]}].push_back(row.number("winkler"));
      runs[row["dataset"]].insert(row.count("run"));
    }
  WideTable table{.header = {"data set"}};
  for (const std::string& dataset : results.experiment.datasets) {
    if (!runs.contains(dataset)) continue;
    for (const std::string& method : peers.distinct("method"))
      if (scores.contains({dataset, method}))
        table.set({dataset}, markdown_text(method), display(mean_of(scores.at({dataset, method}))));
    for (const char* method : {"fixed", "adapt", "forest"}) {
      if (!has_method(results, method)) continue;
      ByRun ours = by_run(results, {dataset, method, "winkler", level.text()});
      std::erase_if(ours, [&](const auto& item) { return !runs.at(dataset).contains(item.first); });
      if (!ours.empty()) table.set({dataset}, fmt::format("our {}", method), display(moments(ours).mean));
    }
  }
  if (table.rows.empty()) return "";
  return fmt::format(
      "### Beside other packages\n\nMean Winkler score at α = {}, lower is better: [peers.csv]({}peers.csv).\n\n{}\n",
      level.text(), prefix, table.markdown());
}

/// "Which intervals should I use?", of an experiment that compares them.
std::string choice_section(const ReportedExperiment& e, const std::string& prefix) {
  if (!compares_intervals(e.results)) return "";
  const std::string sections = report_figures(e, prefix, {"ranks"}) + ranks_section(e.results) +
                               costs_section(e.results) + peers_section(e.results, prefix);
  return sections.empty() ? "" : "## Which intervals should I use?\n\n" + sections;
}

std::string table_section(const ReportedExperiment& e, const std::string& prefix) {
  const std::string about = fmt::format(
      "Size: half-width / mean |y|; validity: share inside; mean ± deviation over {}; †k: k runs.",
      counted(e.results.experiment.runs, "run"));
  return fmt::format("## Table\n\n{} [csv]({}table.csv), [LaTeX]({}table.tex).\n\n{}\n", about, prefix,
                     prefix, table_markdown(e.results, e.entries));
}

std::string comparison_section(const ReportedExperiment& e, const std::string& prefix) {
  if (e.comparison.entries.empty()) return "";
  Frame table({"", "count"});
  for (const auto& [what, value] : agreement_lines(e.comparison))
    if (!value.empty()) table.add({what, value});
  return fmt::format("## Beside Table 1\n\n{1}\n[Every number]({0}comparison.csv)\n\n", prefix,
                     to_markdown(table));
}

std::string failures_section(const ReportedExperiment& e) {
  Frame table({"data set", "run", "method", "reason"});
  for (const auto& [task, reason] : e.results.failed)
    table.add({task.dataset, task.run, method_label(task.method), markdown_text(reason)});
  return table.empty() ? "" : "## Failed tasks\n\n" + to_markdown(table) + "\n";
}

/// What a figure shows: the first sentence of its script.
std::string caption(const std::string& figure) {
  const std::string_view script = gnuplot_script(figure);
  return std::string(script.substr(2, script.find(". ") - 2));
}

}  // namespace

std::string report_figures(const ReportedExperiment& e, const std::string& prefix,
                           const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    if (std::ranges::count(e.figures, name) > 0)
      text += fmt::format("![{}]({}figures/{}.svg)\n\n", caption(name), prefix, name);
  return text;
}

std::string report_page(const ReportedExperiment& e, const std::string& prefix) {
  std::string text = opening(e, prefix) + choice_section(e, prefix) + table_section(e, prefix);
  if (const std::string figures = report_figures(e, prefix, {"figure1", "sizes", "adaptivity"});
      !figures.empty())
    text += "## Figures\n\n" + figures;
  text += comparison_section(e, prefix) + failures_section(e);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace lacp
