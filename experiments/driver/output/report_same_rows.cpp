#include <fmt/format.h>

#include <algorithm>

#include "lacp/base/text.hpp"
#include "output/choice.hpp"
#include "output/labels.hpp"
#include "output/report.hpp"

// "Which intervals should I use?", of several experiments on the same rows: around other centres, with other
// sides.
namespace lacp {
namespace {

/// Experiments that share the rows of the first.
std::vector<const ReportedExperiment*> sharing(const std::vector<ReportedExperiment>& experiments) {
  std::vector<const ReportedExperiment*> same;
  for (const ReportedExperiment& e : experiments) {
    if (e.role != ReportRole::protocol || !compares_intervals(e.results)) continue;
    if (same.empty() || share_rows(same.front()->results.experiment, e.results.experiment))
      same.push_back(&e);
  }
  return same;
}

std::string shared_table(const std::vector<const ReportedExperiment*>& same) {
  if (same.size() < 2) return "";
  const Results& base = same.front()->results;
  const Level& level = drawn_level(base.experiment);
  TextTable table{{"method"}, {}, ""};
  std::vector<std::vector<Record>> columns;
  std::vector<std::string> explained;
  for (std::size_t i = 1; i < same.size(); ++i) {
    const Experiment& x = same[i]->results.experiment;
    table.header.push_back(x.name);
    columns.push_back(records_against(same[i]->results, base, "", level));
    explained.push_back(fmt::format("`{}` ({})", x.name, to_text(changes(base.experiment, x), 4)));
  }
  for (const std::string& method : base.experiment.methods) {
    std::vector<std::string> row{method_label(method)};
    for (const std::vector<Record>& column : columns) {
      const auto found = std::ranges::find(column, method, &Record::method);
      row.push_back(found == column.end() ? ""
                                          : fmt::format("{} ({})", display(found->ratio, 2), found->text()));
    }
    table.add(std::move(row));
  }
  return fmt::format(
      "The same methods and splits with other settings, at α = {}: Winkler score relative to `{}`, median over the data sets that both have, with wins–ties–losses (paired by run, Holm): {}.\n\n{}\n",
      level.text(), base.experiment.name, join(explained, "; "), to_markdown(table));
}

}  // namespace

bool share_rows(const Experiment& a, const Experiment& b) {
  return std::ranges::all_of(changes(a, b), [](const SettingChange& c) {
    return c.key.starts_with("predictor.") || c.key == "evaluation.sides";
  });
}

std::string intervals_top(const std::vector<ReportedExperiment>& experiments) {
  const std::vector<const ReportedExperiment*> same = sharing(experiments);
  std::string text;
  for (const ReportedExperiment* e : same)
    if (const std::string answer = intervals_answer(*e); !answer.empty())
      text += fmt::format("{} ([{}]({}/README.md)):\n\n{}\n", e->title(), e->results.experiment.name, e->link,
                          answer);
  return text.empty() ? "" : "## Which intervals should I use?\n\n" + text + shared_table(same);
}

}  // namespace lacp
