#include "output/page_columns.hpp"

#include <cmath>
#include <map>
#include <tuple>

namespace lacp {
namespace {

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

/// The published number of each entry, or null, and how ours compares.
std::string published_columns(const std::vector<TableEntry>& entries, const Comparison& comparison,
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

/// A metric, or one bin of it. Some have no level: a row of the table then shows the same number at each.
struct MetricColumn {
  std::string metric;
  std::size_t bin = 0;
  bool has_level = true;

  bool operator==(const MetricColumn&) const = default;
};

/// Whether the page shows it. Of what has no level, only what tells how a method came to its intervals.
bool is_shown(const MetricColumn& column) {
  if (!column.has_level)
    return column.metric == "adaptation" || column.metric == "best_epoch" || column.metric.ends_with("_rmse");
  return column.metric != "size_mean" && column.metric != "validity" && column.metric != "infinite" &&
         column.metric != "empty";
}

/// The metrics of the cells, apart from those of the table; those without bins first.
std::vector<MetricColumn> more_metrics(const Results& results) {
  std::vector<MetricColumn> found;
  for (const auto& [task, cell] : results.cells)
    for (const Measurement& value : cell.values)
      if (const MetricColumn column{value.metric, value.bin, !value.alpha.empty()};
          is_shown(column) && std::ranges::find(found, column) == found.end())
        found.push_back(column);
  std::ranges::stable_sort(found, {}, &MetricColumn::bin);
  return found;
}

}  // namespace

std::string table_columns(const std::vector<TableEntry>& entries, Names& datasets, Names& methods,
                          Names& levels) {
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

std::string metric_columns(const ReportedExperiment& e) {
  std::vector<std::string> list{size_or_validity(e, "size", &TableEntry::size, size_metric),
                                size_or_validity(e, "validity", &TableEntry::validity, "validity")};
  for (const auto& [metric, bin, has_level] : more_metrics(e.results)) {
    std::vector<double> means, deviations;
    for (const TableEntry& t : e.entries) {
      const Moments moments =
          summarise(e.results, {t.dataset, t.method, metric, has_level ? t.alpha : "", bin});
      means.push_back(moments.mean), deviations.push_back(moments.deviation);
    }
    list.push_back(json_object({{"name", json_text(metric)},
                                {"bin", std::to_string(bin)},
                                {"mean", packed({means}, true)},
                                {"std", packed({deviations}, true)}}));
  }
  return json_list(list, [](const std::string& text) { return text; });
}

}  // namespace lacp
