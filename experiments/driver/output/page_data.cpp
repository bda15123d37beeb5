#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "lacp/base/text.hpp"
#include "output/figures.hpp"
#include "output/json.hpp"
#include "output/labels.hpp"
#include "output/page.hpp"
#include "output/pool.hpp"
#include "settings/setting_help.hpp"
#include "settings/settings.hpp"
#include "store/records.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// Names in the order in which they were first seen, and the place of each.
struct Names {
  std::vector<std::string> all;

  std::size_t place(const std::string& name) {
    const auto found = static_cast<std::size_t>(std::ranges::find(all, name) - all.begin());
    if (found == all.size()) all.push_back(name);
    return found;
  }
};

/// A column of numbers: one for each element of a range.
template <class Range, class Value>
std::string column(const Range& range, const Value& value, int digits = 10) {
  return json_list(
      range, [&](const auto& element) { return json_number(static_cast<double>(value(element)), digits); });
}

constexpr int few_digits = 5;    // of numbers that are shown with three decimals
constexpr int drawn_digits = 4;  // of numbers that are only drawn

/// Lists of numbers as whole multiples of a power of ten, which takes two thirds of the room: four decimals,
/// more where all numbers are small.
std::string packed(const std::vector<std::vector<double>>& lists, bool flat = false) {
  double largest = 0.0, scale = 1e4;
  for (const auto& list : lists)
    for (const double value : list)
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  int decimals = 4;
  for (; largest > 0.0 && largest < 0.1 && decimals < 12; largest *= 10.0) ++decimals, scale *= 10.0;
  const auto whole = [&](double value) { return json_number(std::round(value * scale), 15); };
  const auto written = [&](const std::vector<double>& list) { return json_list(list, whole); };
  return json_object({{"decimals", std::to_string(decimals)},
                      {"values", flat ? written(lists.front()) : json_list(lists, written)}});
}

using Entries = std::vector<TableEntry>;

/// table.csv by columns.
std::string table_columns(const Entries& entries, Names& datasets, Names& methods, Names& levels) {
  const auto of = [&](const auto& value) { return column(entries, value); };
  return json_object({{"dataset", of([&](const TableEntry& e) { return datasets.place(e.dataset); })},
                      {"method", of([&](const TableEntry& e) { return methods.place(e.method); })},
                      {"level", of([&](const TableEntry& e) { return levels.place(e.alpha); })},
                      {"runs", of([](const TableEntry& e) { return e.runs; })},
                      {"runs_wanted", of([](const TableEntry& e) { return e.runs_wanted; })},
                      {"infinite", of([](const TableEntry& e) { return e.infinite; })},
                      {"empty", of([](const TableEntry& e) { return e.empty; })},
                      {"best", of([](const TableEntry& e) { return e.best; })}});
}

/// The published number of each entry, or null, and how ours compares.
std::string published_columns(const Entries& entries, const Comparison& comparison,
                              const std::string& quantity) {
  std::map<std::tuple<std::string, std::string, std::string>, const ComparedNumber*> numbers;
  for (const ComparedNumber& n : comparison.numbers)
    if (n.quantity == quantity) numbers[{n.dataset, n.method, n.alpha}] = &n;
  const auto of = [&](const auto& value) {
    return json_list(entries, [&](const TableEntry& e) {
      const auto found = numbers.find({e.dataset, e.method, e.alpha});
      return found == numbers.end() ? "null" : json_number(value(*found->second), few_digits);
    });
  };
  return json_object({{"mean", of([](const ComparedNumber& n) { return n.paper.mean; })},
                      {"std", of([](const ComparedNumber& n) { return n.paper.deviation; })},
                      {"z", of([](const ComparedNumber& n) { return n.test.z; })},
                      {"p", of([](const ComparedNumber& n) { return n.p_overall; })}});
}

/// One metric, or one bin of it: mean and spread over runs of each entry, and for those of Table 1 every run.
std::string size_or_validity(const ReportedExperiment& e, const std::string& name,
                             Moments TableEntry::*moments, std::string_view metric) {
  const auto runs = [&](const TableEntry& entry) {
    const std::map<std::size_t, double> values =
        by_run(e.results, {entry.dataset, entry.method, metric, entry.alpha});
    std::vector<double> all(values.empty() ? 0 : values.rbegin()->first + 1, std::nan(""));
    for (const auto& [run, value] : values) all[run] = value;
    return all;
  };
  std::vector<std::vector<double>> every_run;
  for (const TableEntry& entry : e.entries) every_run.push_back(runs(entry));
  return json_object(
      {{"name", json_text(name)},
       {"bin", "0"},
       {"mean", column(e.entries, [&](const TableEntry& t) { return (t.*moments).mean; })},
       {"std", column(e.entries, [&](const TableEntry& t) { return (t.*moments).deviation; })},
       {"runs", e.results.cells.empty() ? "null" : packed(every_run)},
       {"published", e.comparison ? published_columns(e.entries, *e.comparison, name) : "null"}});
}

/// The other metrics that cells have at a level, each bin as a metric of its own.
std::vector<std::pair<std::string, std::size_t>> more_metrics(const Results& results) {
  std::vector<std::pair<std::string, std::size_t>> found;
  for (const auto& [task, cell] : results.cells)
    for (const Measurement& value : cell.values)
      if (const std::pair key{value.metric, value.bin};
          !value.alpha.empty() && std::ranges::find(found, key) == found.end())
        found.push_back(key);
  std::erase_if(found, [](const auto& key) {
    return key.first == "size_mean" || key.first == "validity" || key.first == "infinite" ||
           key.first == "empty";
  });
  std::ranges::stable_sort(found, {},
                           [](const auto& key) { return key.second; });  // those without bins first
  return found;
}

std::string metrics(const ReportedExperiment& e) {
  std::vector<std::string> list{size_or_validity(e, "size", &TableEntry::size, size_metric),
                                size_or_validity(e, "validity", &TableEntry::validity, "validity")};
  for (const auto& [metric, bin] : more_metrics(e.results)) {
    std::vector<double> means, deviations;
    for (const TableEntry& t : e.entries) {
      const Moments moments = summarise(e.results, {t.dataset, t.method, metric, t.alpha, bin});
      means.push_back(moments.mean), deviations.push_back(moments.deviation);
    }
    list.push_back(json_object({{"name", json_text(metric)},
                                {"bin", std::to_string(bin)},
                                {"mean", packed({means}, true)},
                                {"std", packed({deviations}, true)}}));
  }
  return json_list(list, [](const std::string& text) { return text; });
}

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
std::string times(const fs::path& folder, Names& datasets, Names& methods) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> seconds;
  for (const auto& [task, time] : read_times(folder))
    if (std::ranges::find(datasets.all, task.dataset) != datasets.all.end() &&
        std::ranges::find(methods.all, task.method) != methods.all.end())
      seconds[{datasets.place(task.dataset), methods.place(task.method)}].push_back(time);
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

std::string files(const fs::path& folder) {
  std::vector<std::string> there;
  for (const char* name : {"README.md", "table.csv", "table.tex", "comparison.csv", "comparison.tex",
                           "verdicts.csv", "claims.csv", "failures.csv", "times.csv", "manifest.yaml"})
    if (fs::exists(folder / name)) there.emplace_back(name);
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
                      {"title", json_text(e.title())},
                      {"role", std::to_string(static_cast<int>(e.role))},
                      {"link", json_text(e.results.folder.lexically_relative(root).generic_string())},
                      {"files", files(e.results.folder)},
                      {"runs", std::to_string(x.runs)},
                      {"done", std::to_string(e.done)},
                      {"wanted", std::to_string(e.wanted)},
                      {"commits", json_texts(e.results.commits)},
                      {"notes", json_texts(pool_notes(e.results))},
                      {"verdict", verdict(e)},
                      {"datasets", json_texts(datasets.all)},
                      {"levels", json_texts(levels.all)},
                      {"table", table},
                      {"metrics", metrics(e)},
                      {"intervals", intervals(e.results, all_methods)},
                      {"failures", failures(e.results)},
                      {"times", times(e.results.folder, datasets, all_methods)},
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
    if (e.role == ReportRole::protocol && !e.results.cells.empty())
      if (const std::string answer = intervals_answer(e); !answer.empty())
        advice.push_back({e.label(), e.title(), answer});
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
