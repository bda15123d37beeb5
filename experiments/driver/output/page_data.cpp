#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lacp/base/text.hpp"
#include "output/figures.hpp"
#include "output/json.hpp"
#include "output/labels.hpp"
#include "output/page.hpp"
#include "output/page_columns.hpp"
#include "output/pool.hpp"
#include "settings/setting_help.hpp"
#include "settings/settings.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// Figure 1, panel by panel.
std::string intervals(const Results& results, Names& methods) {
  std::vector<std::string> panels;
  if (!results.cells.empty())
    for (const std::string& dataset : results.experiment.keep_intervals.datasets)
      if (const auto panel = panel_data(results, dataset)) {
        std::vector<std::size_t> rows(panel->rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
        const auto of = [&](const std::string& name) {
          return column(
              rows, [&](std::size_t row) { return panel->number(row, name); }, drawn_digits);
        };
        std::vector<std::string> names;
        for (const std::string& name : panel->header)
          if (name.ends_with("_lower") && name != "true_lower")
            names.push_back(name.substr(0, name.size() - 6));
        const auto ends = [&](const std::string& end) {
          return json_list(names, [&](const std::string& name) { return of(name + end); });
        };
        panels.push_back(json_object(
            {{"dataset", json_text(dataset)},
             {"x", of("x")},
             {"y", of("y")},
             {"f", of("f")},
             {"true_lower", of("true_lower")},
             {"true_upper", of("true_upper")},
             {"methods", column(names, [&](const std::string& name) { return methods.place(name); })},
             {"lower", ends("_lower")},
             {"upper", ends("_upper")}}));
      }
  return json_object({{"level", json_text(results.experiment.keep_intervals.level.text())},
                      {"panels", json_list(panels, [](const std::string& text) { return text; })}});
}

std::string failures(const Results& results) {
  return json_list(results.failed, [](const auto& item) {
    const Task& task = item.first;
    return json_texts(std::vector{task.dataset, std::to_string(task.run), task.method, item.second.reason});
  });
}

/// Seconds per task: data set, method, tasks, mean, longest.
std::string times(const Results& results, Names& datasets, Names& methods) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> seconds;
  for (const auto& [task, cell] : results.cells)
    if (cell.seconds)
      seconds[{datasets.place(task.dataset), methods.place(task.method)}].push_back(*cell.seconds);
  return json_list(seconds, [](const auto& item) {
    const auto& [place, list] = item;
    return fmt::format("[{},{},{},{:.4g},{:.4g}]", place.first, place.second, list.size(), moments(list).mean,
                       std::ranges::max(list));
  });
}

std::string settings(Experiment experiment) {
  // The path leads from the working folder, wherever that is; the name is what counts.
  experiment.reference.file = fs::path(experiment.reference.file).filename().string();
  return json_list(setting_values(experiment), [](const SettingValue& setting) {
    return json_texts(std::vector{setting.key, setting.value});
  });
}

/// What this report writes, and what a run left.
std::string files(const ReportedExperiment& e) {
  std::vector<std::string> there = {"README.md", "table.csv"};
  if (!e.kept && e.role() != ReportRole::many_runs) there.emplace_back("table.tex");
  if (e.comparison) there.insert(there.end(), {"comparison.csv", "comparison.tex", "verdicts.csv"});
  if (!e.claims.empty()) there.emplace_back("claims.csv");
  if (fs::exists(e.results.folder / "manifest.yaml")) there.emplace_back("manifest.yaml");
  return json_texts(there);
}

std::string verdict(const ReportedExperiment& e) {
  if (!e.comparison) return "null";
  const Verdict& v = e.comparison->overall;
  return json_object({{"numbers", std::to_string(v.numbers)},
                      {"within", std::to_string(v.within)},
                      {"expected", json_number(v.expected, few_digits)},
                      {"different", std::to_string(v.different)}});
}

std::string experiment_data(const ReportedExperiment& e, const fs::path& root, Names& all_methods) {
  Names datasets, levels;
  const Experiment& x = e.results.experiment;
  const std::string table = table_columns(e.entries, datasets, all_methods, levels);
  return json_object({{"name", json_text(e.label())},
                      {"title", json_text(e.plain_title())},
                      {"role", std::to_string(e.is_protocol() ? 0 : static_cast<int>(e.role()) - 1)},
                      {"link", json_text(e.results.folder.lexically_relative(root).generic_string())},
                      {"files", files(e)},
                      {"runs", std::to_string(x.runs)},
                      {"done", std::to_string(e.done)},
                      {"wanted", std::to_string(e.wanted)},
                      {"notes", json_texts(pool_notes(e.results))},
                      {"verdict", verdict(e)},
                      {"datasets", json_texts(datasets.all)},
                      {"levels", json_texts(levels.all)},
                      {"table", table},
                      {"metrics", metric_columns(e)},
                      {"intervals", intervals(e.results, all_methods)},
                      {"failures", failures(e.results)},
                      {"times", times(e.results, datasets, all_methods)},
                      {"settings", settings(x)}});
}

}  // namespace

std::string page_data(const Report& report, const fs::path& folder) {
  Names methods;
  const std::string experiments = json_list(
      report.experiments, [&](const ReportedExperiment& e) { return experiment_data(e, folder, methods); });
  const std::vector<std::string> answers = protocol_answers(report.experiments);
  std::vector<std::vector<std::string>> advice;  // which intervals to use: experiment, title, lines
  for (const ReportedExperiment& e : report.experiments)
    if (e.is_protocol() && !e.results.cells.empty())
      if (const std::string answer = intervals_answer(e); !answer.empty())
        advice.push_back({e.label(), e.plain_title(), answer});
  return json_object(
      {{"answers", json_texts(answers)},
       {"claims",
        json_list(told_claims(report),
                  [](const ReportedClaim& c) {
                    return json_texts(std::vector{c.claim.title, c.claim.answer(), c.claim.shown + c.where});
                  })},
       {"advice", json_list(advice, [](const auto& row) { return json_texts(row); })},
       {"methods", json_list(methods.all,
                             [](const std::string& name) {
                               return json_texts(std::vector{name, method_label(name),
                                                             drawn_as("colour", name), drawn_as("dash", name),
                                                             drawn_as("mark", name)});
                             })},
       {"meanings", json_list(setting_helps(),
                              [](const SettingHelp& help) {
                                return json_texts(std::vector{help.key, help.about});
                              })},
       {"experiments", experiments}});
}

}  // namespace lacp
