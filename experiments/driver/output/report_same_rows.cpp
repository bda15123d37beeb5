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

using Group = std::vector<const ReportedExperiment*>;  // the base first

/// Data sets that all of them have.
std::vector<std::string> common_datasets(const Group& group) {
  std::vector<std::string> datasets = group.front()->results.experiment.datasets;
  for (const ReportedExperiment* e : group)
    std::erase_if(datasets, [&](const std::string& name) { return !has_dataset(e->results, name); });
  return datasets;
}

std::string shared_table(const Group& group) {
  const Results& base = group.front()->results;
  const Level& level = drawn_level(base.experiment);
  const std::vector<std::string> datasets = common_datasets(group);
  TextTable table{{"method"}, {}, ""};
  std::vector<std::vector<Record>> columns;
  std::vector<std::string> explained;
  for (std::size_t i = 1; i < group.size(); ++i) {
    const Results& other = group[i]->results;
    explained.push_back(fmt::format("`{}` ({})", other.experiment.name,
                                    to_text(changes(base.experiment, other.experiment), 4)));
    if (const std::string problem = unit_problem(other, base); !problem.empty()) {
      explained.back() += ", which is left out: " + problem;
      continue;
    }
    table.header.push_back(other.experiment.name);
    columns.push_back(records_against(other, base, "", level, datasets));
  }
  for (const std::string& method : base.experiment.methods) {
    std::vector<std::string> row{method_label(method)};
    for (const std::vector<Record>& column : columns) {
      const auto found = std::ranges::find(column, method, &Record::method);
      row.push_back(found == column.end() ? ""
                                          : fmt::format("{} ({})", display(found->ratio, 2), found->text()));
    }
    if (std::ranges::any_of(row.begin() + 1, row.end(), [](const auto& text) { return !text.empty(); }))
      table.add(std::move(row));
  }
  return fmt::format(
      "The same rows with other settings, at α = {}: Winkler score relative to `{}`, in one unit per data set and run; median over the {} that all have ({}), with wins–ties–losses (paired by run, Holm): {}.\n\n{}\n",
      level.text(), base.experiment.name, counted(datasets.size(), "data set"), join(datasets, ", "),
      join(explained, "; "), columns.empty() ? "" : to_markdown(table));
}

}  // namespace

bool share_rows(const Experiment& a, const Experiment& b) {
  return std::ranges::all_of(changes(a, b), [](const SettingChange& c) {
    return c.key.starts_with("predictor.") || c.key == "evaluation.sides";
  });
}

const ReportedExperiment* base_of(const ReportedExperiment& experiment,
                                  const std::vector<ReportedExperiment>& experiments) {
  for (const ReportedExperiment& e : experiments) {
    if (&e == &experiment && experiment.base().empty()) return nullptr;
    if (&e == &experiment || !e.is_protocol()) continue;
    if (experiment.base().empty()
            ? compares_intervals(e.results) && share_rows(e.results.experiment, experiment.results.experiment)
            : e.results.experiment.name == experiment.base())
      return &e;
  }
  return nullptr;
}

std::string intervals_top(const std::vector<ReportedExperiment>& experiments) {
  std::string text;
  std::vector<Group> groups;
  for (const ReportedExperiment& e : experiments) {
    if (!e.is_protocol() || !compares_intervals(e.results)) continue;
    const ReportedExperiment* base = base_of(e, experiments);
    const bool pairs = base != nullptr && share_rows(base->results.experiment, e.results.experiment);
    // Without a base, only the first is told: of experiments on other rows their own pages tell.
    if (!pairs && !text.empty()) continue;
    if (const std::string answer = intervals_answer(e); !answer.empty())
      text += fmt::format("{} ([{}]({}/README.md)):\n\n{}\n", e.title(), e.results.experiment.name, e.link,
                          answer);
    if (!pairs) continue;
    auto group = std::ranges::find(groups, base, [](const Group& g) { return g.front(); });
    if (group == groups.end()) group = groups.insert(group, {base});
    group->push_back(&e);
  }
  if (text.empty()) return "";
  for (const Group& group : groups) text += shared_table(group);
  return "## Which intervals should I use?\n\n" + text;
}

}  // namespace lacp
