#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/settings/settings.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "report/analysis/choice.hpp"
#include "report/report.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

constexpr int few_digits = 5;    // of numbers that are shown with three decimals
constexpr int drawn_digits = 4;  // of numbers that are only drawn

/// Names in the order in which they were first seen; and the place of one.
using Names = std::vector<std::string>;
std::size_t place_in(Names& names, const std::string& name) {
  const auto found = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  if (found == names.size()) names.push_back(name);
  return found;
}

/// A column of numbers.
std::string column(const std::vector<double>& values, int digits = 10) {
  return json_list(values, [&](double value) { return json_number(value, digits); });
}

/// Where the texts of a column stand among names.
std::string places(const Frame& table, const char* name, Names& names) {
  return json_list(table, [&](const Row& row) { return std::to_string(place_in(names, row[name])); });
}

/// Lists of numbers as whole multiples of a power of ten, which takes two thirds of the room: four decimals,
/// more where all numbers are small.
std::string packed(const std::vector<std::vector<double>>& lists, bool flat = false) {
  double largest = 0.0, scale = 1e4;
  for (const auto& list : lists)
    for (const double value : list)
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  int decimals = 4;
  for (; largest > 0.0 && largest < 0.1 && decimals < 12; largest *= 10.0) {
    ++decimals;
    scale *= 10.0;
  }
  const auto whole = [&](double value) { return json_number(std::round(value * scale), 15); };
  const auto written = [&](const std::vector<double>& list) { return json_list(list, whole); };
  return json_object({{"decimals", std::to_string(decimals)},
                      {"values", flat ? written(lists.front()) : json_list(lists, written)}});
}

/// The published number of each entry, or null, and how ours compares.
std::string published_columns(const Frame& entries, const Comparison& comparison, const char* quantity) {
  const Frame numbers = comparison.numbers.where({{"quantity", quantity}});
  const auto of = [&](const char* name) {
    return json_list(entries, [&](const Row& e) {
      const Row* number =
          numbers.find({{"dataset", e["dataset"]}, {"method", e["method"]}, {"alpha", e["alpha"]}});
      return number == nullptr ? "null" : json_number(number->number(name), few_digits);
    });
  };
  return json_object(
      {{"mean", of("paper_mean")}, {"std", of("paper_std")}, {"z", of("z")}, {"p", of("holm_p_overall")}});
}

/// Size or validity: mean and spread over runs of each entry, and every run.
std::string size_or_validity(const ReportedExperiment& e, const char* name, std::string_view metric) {
  std::vector<std::vector<double>> every_run;
  for (const Row& entry : e.entries) {
    const ByRun values = by_run(e.results, {entry["dataset"], entry["method"], metric, entry["alpha"]});
    every_run.emplace_back(values.empty() ? 0 : values.rbegin()->first + 1, std::nan(""));
    for (const auto& [run, value] : values) every_run.back()[run] = value;
  }
  return json_object(
      {{"name", json_text(name)},
       {"bin", "0"},
       {"mean", column(e.entries.numbers(fmt::format("{}_mean", name)))},
       {"std", column(e.entries.numbers(fmt::format("{}_std", name)))},
       {"runs", e.results.in_part || e.results.cells.empty() ? "null" : packed(every_run)},
       {"published", e.comparison ? published_columns(e.entries, *e.comparison, name) : "null"}});
}

/// Whether the page shows it beside the table. Of what has no level, only what tells how a method came to its
/// intervals.
bool is_shown(const std::string& metric, bool has_level) {
  if (!has_level) return metric == "adaptation" || metric == "best_epoch" || metric.ends_with("_rmse");
  return metric != "size_mean" && metric != "validity" && metric != "infinite" && metric != "empty";
}

/// A metric, or one bin of it. Some have no level: a row of the table then shows the same number at each.
using MetricColumn = std::tuple<std::string, std::size_t, bool>;  // metric, bin, has a level

/// The metrics of the cells, apart from those of the table; those without bins first.
std::vector<MetricColumn> more_metrics(const Results& results) {
  std::vector<MetricColumn> found;
  for (const auto& [task, cell] : results.cells)
    for (const auto& [metric, alpha, bin, value] : cell.values)
      if (const MetricColumn column(metric, bin, !alpha.empty());
          is_shown(metric, !alpha.empty()) && std::ranges::find(found, column) == found.end())
        found.push_back(column);
  std::ranges::stable_sort(found, {}, [](const MetricColumn& column) { return std::get<1>(column); });
  return found;
}

/// table.csv by columns.
std::string table_columns(const Frame& entries, Names& datasets, Names& methods, Names& levels) {
  const auto of = [&](const char* name) { return column(entries.numbers(name)); };
  return json_object({{"dataset", places(entries, "dataset", datasets)},
                      {"method", places(entries, "method", methods)},
                      {"level", places(entries, "alpha", levels)},
                      {"runs", of("runs")},
                      {"runs_wanted", of("runs_wanted")},
                      {"infinite", of("infinite")},
                      {"empty", of("empty")},
                      {"best", of("best")}});
}

/// What was measured: a column of means and one of deviations for every metric, or bin of one, by rows of the
/// table.
std::string metric_columns(const ReportedExperiment& e) {
  std::vector<std::string> list{size_or_validity(e, "size", size_metric),
                                size_or_validity(e, "validity", "validity")};
  for (const auto& [metric, bin, has_level] : more_metrics(e.results)) {
    std::vector<double> means, deviations;
    for (const Row& t : e.entries) {
      const Moments found = summarise(
          e.results, {t["dataset"], t["method"], metric, has_level ? std::string_view(t["alpha"]) : "", bin});
      means.push_back(found.mean);
      deviations.push_back(found.deviation);
    }
    list.push_back(json_object({{"name", json_text(metric)},
                                {"bin", std::to_string(bin)},
                                {"mean", packed({means}, true)},
                                {"std", packed({deviations}, true)}}));
  }
  return json_list(list);
}

/// Figure 1, panel by panel.
std::string intervals(const Results& results, Names& methods) {
  std::vector<std::string> panels;
  if (!results.cells.empty())
    for (const std::string& dataset : results.experiment.keep_intervals.datasets)
      if (const auto panel = panel_data(results, dataset)) {
        const auto of = [&](const std::string& name) { return column(panel->numbers(name), drawn_digits); };
        std::vector<std::string> names;
        for (const std::string& name : panel->header())
          if (name.ends_with("_lower") && name != "true_lower")
            names.push_back(name.substr(0, name.size() - 6));
        const auto ends = [&](const std::string& end) {
          return json_list(names, [&](const std::string& name) { return of(name + end); });
        };
        panels.push_back(json_object({{"dataset", json_text(dataset)},
                                      {"x", of("x")},
                                      {"y", of("y")},
                                      {"f", of("f")},
                                      {"true_lower", of("true_lower")},
                                      {"true_upper", of("true_upper")},
                                      {"methods", json_list(names,
                                                            [&](const std::string& name) {
                                                              return std::to_string(place_in(methods, name));
                                                            })},
                                      {"lower", ends("_lower")},
                                      {"upper", ends("_upper")}}));
      }
  return json_object(
      {{"level", json_text(results.experiment.keep_intervals.level.text())}, {"panels", json_list(panels)}});
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
      seconds[{place_in(datasets, task.dataset), place_in(methods, task.method)}].push_back(*cell.seconds);
  return json_list(seconds, [](const auto& item) {
    const auto& [of, list] = item;
    return fmt::format("[{},{},{},{:.4g},{:.4g}]", of.first, of.second, list.size(), moments(list).mean,
                       std::ranges::max(list));
  });
}

std::string settings(Experiment experiment) {
  // The path leads from the working folder, wherever that is; the name is what counts.
  experiment.reference.file = fs::path(experiment.reference.file).filename().string();
  return json_list(setting_values(experiment), [](const Setting& setting) {
    return json_texts(std::vector{setting.key, setting.text});
  });
}

/// What this report writes, and what a run left.
std::string files(const ReportedExperiment& e) {
  std::vector<std::string> there = {"README.md", "table.csv"};
  there.emplace_back(e.results.in_part ? "runs.csv" : "table.tex");
  if (e.comparison) there.insert(there.end(), {"comparison.csv", "comparison.tex", "verdicts.csv"});
  if (!e.claims.empty()) there.emplace_back("claims.csv");
  if (fs::exists(e.results.folder / "manifest.yaml")) there.emplace_back("manifest.yaml");
  return json_texts(there);
}

std::string verdict(const ReportedExperiment& e) {
  if (!e.comparison) return "null";
  const Row& v = e.comparison->overall();
  return json_object({{"numbers", v["numbers"]},
                      {"within", v["within_2_standard_errors"]},
                      {"expected", json_number(v.number("share_expected_by_chance"), few_digits)},
                      {"different", v["significant_after_holm"]}});
}

std::string experiment_data(const ReportedExperiment& e, const fs::path& root, Names& all_methods) {
  Names datasets, levels;
  const Experiment& x = e.results.experiment;
  const std::string table = table_columns(e.entries, datasets, all_methods, levels);
  return json_object({{"name", json_text(e.label())},
                      {"title", json_text(e.plain_title())},
                      {"role", std::to_string(e.is_protocol() ? 0 : static_cast<int>(e.role()) - 1)},
                      {"main", e.role() == ReportRole::main ? "true" : "false"},
                      {"link", json_text(e.results.folder.lexically_relative(root).generic_string())},
                      {"files", files(e)},
                      {"runs", std::to_string(x.runs)},
                      {"done", std::to_string(e.done)},
                      {"wanted", std::to_string(e.wanted)},
                      {"notes", json_texts(table_notes(e.results))},
                      {"verdict", verdict(e)},
                      {"datasets", json_texts(datasets)},
                      {"levels", json_texts(levels)},
                      {"table", table},
                      {"metrics", metric_columns(e)},
                      {"intervals", intervals(e.results, all_methods)},
                      {"failures", failures(e.results)},
                      {"times", times(e.results, datasets, all_methods)},
                      {"settings", settings(x)}});
}

std::string_view page_file(std::string_view name) { return embedded(fmt::format("page/{}", name)); }

/// Replaces what stands between `before` and `after`, everywhere, by what `change` makes of it.
template <class Change>
std::string replaced(std::string_view text, std::string_view before, std::string_view after,
                     const Change& change) {
  std::string result;
  for (;;) {
    const std::size_t begin = text.find(before);
    if (begin == std::string_view::npos) return result.append(text);
    const std::size_t inner = begin + before.size(), end = text.find(after, inner);
    result.append(text.substr(0, begin)).append(change(text.substr(inner, end - inner)));
    text.remove_prefix(end + after.size());
  }
}

}  // namespace

std::string page_data(const Report& report, const fs::path& folder) {
  Names methods;
  const std::string experiments = json_list(
      report.experiments, [&](const ReportedExperiment& e) { return experiment_data(e, folder, methods); });
  std::vector<std::string> advice;  // which intervals to use: experiment, title, lines
  for (const ReportedExperiment& e : report.experiments)
    if (e.is_protocol() && !e.results.cells.empty())
      if (const std::string answer = intervals_answer(e); !answer.empty())
        advice.push_back(json_texts(std::vector{e.label(), e.plain_title(), answer}));
  return json_object(
      {{"answers", json_texts(protocol_answers(report.experiments))},
       {"claims", json_list(told_claims(report),
                            [](const ReportedClaim& c) {
                              return json_texts(std::vector{c.claim.title, c.claim.answer(),
                                                            fmt::format("{} ({})", c.claim.shown, c.where)});
                            })},
       {"best", json_text(best_words())},
       {"advised", json_text(intervals_advice(report.experiments))},
       {"advice", json_list(advice)},
       {"methods", json_list(methods,
                             [](const std::string& name) {
                               const Row& style = method_style(name);
                               return json_texts(std::vector{name, method_label(name), style["colour"],
                                                             style["dash"], style["mark"]});
                             })},
       {"meanings", json_list(setting_helps(),
                              [](const Setting& help) {
                                return json_texts(std::vector<std::string>{help.key, help.about});
                              })},
       {"experiments", experiments}});
}

std::string page_html(const std::string& data) {
  std::string hashes;
  std::string page = replaced(page_file("page.html"), "<script src=\"", "\"></script>", [&](auto name) {
    const std::string_view script = page_file(name);
    hashes += fmt::format(" 'sha256-{}'", base64(sha256(script)));
    return fmt::format("<script>{}</script>", script);
  });
  page = replaced(page, "<link rel=\"stylesheet\" href=\"", "\">",
                  [](auto name) { return fmt::format("<style>\n{}</style>", page_file(name)); });
  page = replaced(page, "script-src 'self'", "", [&](auto) { return "script-src" + hashes; });
  return replaced(page, "<script type=\"application/json\" id=\"data\">", "</script>", [&](auto) {
    return fmt::format("<script type=\"application/json\" id=\"data\">{}</script>", data);
  });
}

fs::path write_page(const Report& report, const fs::path& folder) {
  const fs::path page = folder / "index.html";
  write_file(page, page_html(page_data(report, folder)));
  return page;
}

}  // namespace lacp
