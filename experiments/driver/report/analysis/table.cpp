#include "report/analysis/table.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "lacp/base/sums.hpp"

namespace lacp {
namespace {

/// Marks the smallest printed mean size of each data set and level. A mean over fewer runs than the others is
/// not comparable, and intervals that cover too little are easily small, so these cannot win.
void mark_best(std::vector<Entry>& entries) {
  std::map<std::pair<std::string, std::string>, double> smallest;
  const auto printed = [](const Entry& e) {
    const bool may_win = e.is_complete() && !e.misses_clearly();
    return may_win ? std::round(e.size.moments.mean * 1000.0) : std::nan("");
  };
  for (const Entry& e : entries) {
    const double size = printed(e);
    if (!std::isfinite(size)) continue;
    double& least = smallest.try_emplace({e.dataset, e.level.text()}, size).first->second;
    least = std::min(least, size);
  }
  for (Entry& e : entries) {
    const double size = printed(e);
    e.best = std::isfinite(size) && size == smallest.at({e.dataset, e.level.text()});
  }
}

std::vector<RunPair> runs_of(const Results& results, const std::string& dataset, const std::string& method,
                             const Level& level) {
  const ByRun sizes = by_run(results, {dataset, method, size_metric, level.text()}),
              validities = by_run(results, {dataset, method, "validity", level.text()});
  std::vector<RunPair> runs;
  for (const auto& [run, size] : sizes)
    if (const auto validity = validities.find(run); validity != validities.end())
      runs.push_back({run, size, validity->second});
  return runs;
}

}  // namespace

Sample sample_of(std::vector<double> values) {
  Sample sample;
  sample.moments = moments(values);
  sample.median = median_of(values);
  sample.median_error = median_error(values);
  sample.values = std::move(values);
  return sample;
}

Sample published_sample(double mean, double deviation, std::size_t runs) {
  const Moments known{mean, deviation, runs};
  return {.values = {}, .moments = known, .median = mean, .median_error = known.standard_error()};
}

bool Entry::misses_clearly() const { return validity.moments.mean < 1.0 - level.value() - clear_miss; }

Entry entry_of(std::string dataset, std::string method, const Level& level, const std::vector<RunPair>& runs,
               std::size_t wanted) {
  constexpr double far_below = 0.001, far_above = 20.0;  // medians
  Entry entry{.dataset = std::move(dataset), .method = std::move(method), .level = level};
  std::vector<double> sizes, validities;
  for (const RunPair& run : runs)
    if (!std::isnan(run.size)) {
      sizes.push_back(run.size);
      validities.push_back(run.validity);
    }
  entry.size = sample_of(sizes);
  entry.validity = sample_of(validities);
  entry.runs = sizes.size();
  entry.wanted = wanted;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool covers_little = validities[i] < 0.5 * (1.0 - level.value());
    entry.collapsed += covers_little || sizes[i] < far_below * entry.size.median;
    entry.exploded += sizes[i] > far_above * entry.size.median;
  }
  return entry;
}

std::vector<Entry> table_entries(const Results& results) {
  const Experiment& e = results.experiment;
  std::vector<Entry> entries;
  for (const std::string& dataset : e.datasets)
    for (const std::string& method : e.methods)
      for (const Level& level : e.levels) {
        Entry& entry = entries.emplace_back(
            entry_of(dataset, method, level, runs_of(results, dataset, method, level), e.runs));
        entry.infinite = summarise(results, {dataset, method, "infinite", level.text()}).mean;
        entry.empty = summarise(results, {dataset, method, "empty", level.text()}).mean;
      }
  mark_best(entries);
  return entries;
}

std::string runs_csv(const Results& results) {
  std::string text = "dataset,run,method,alpha,size,validity\n";
  const Experiment& e = results.experiment;
  for (const Task& task : grid(e)) {
    const bool failed = results.failed.contains(task);
    if (!failed && !results.cells.contains(task)) continue;
    for (const Level& level : e.levels) {
      text += fmt::format("{},{},{},{},", task.dataset, task.run, task.method, level.text());
      if (failed) {
        text += ",\n";
        continue;
      }
      const auto value = [&](std::string_view metric) {
        return by_run(results, {task.dataset, task.method, metric, level.text()}).at(task.run);
      };
      text += fmt::format("{},{}\n", value(size_metric), value("validity"));
    }
  }
  return text;
}

std::vector<Entry> read_runs(const std::filesystem::path& file) {
  std::vector<std::tuple<std::string, std::string, Level>> places;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<RunPair>> runs;
  for (const Row& row : read_frame(file)) {
    const Level level = Level::parse(row["alpha"]);
    std::vector<RunPair>& own = runs[{row["dataset"], row["method"], level.text()}];
    if (own.empty()) places.emplace_back(row["dataset"], row["method"], level);
    own.push_back({row.count("run"), row.number("size"), row.number("validity")});
  }
  std::vector<Entry> entries;
  for (const auto& [dataset, method, level] : places) {
    const std::vector<RunPair>& own = runs.at({dataset, method, level.text()});
    Entry& entry = entries.emplace_back(entry_of(dataset, method, level, own, own.size()));
    entry.infinite = entry.empty = NAN;
  }
  return entries;
}

std::string table_csv(const std::vector<Entry>& entries) {
  Frame table({"dataset", "method", "alpha", "runs", "size_mean", "size_std", "validity_mean", "validity_std",
               "infinite", "empty", "runs_wanted"});
  for (const Entry& e : entries)
    table.add({e.dataset, e.method, e.level.text(), e.runs, e.size.moments.mean, e.size.moments.deviation,
               e.validity.moments.mean, e.validity.moments.deviation, e.infinite, e.empty, e.wanted});
  return to_text(table);
}

const Entry* find_entry(const std::vector<Entry>& entries, std::string_view dataset, std::string_view method,
                        const Level& level) {
  const auto found = std::ranges::find_if(entries, [&](const Entry& e) {
    return e.dataset == dataset && e.method == method && e.level == level;
  });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace lacp
