#include "output/results.hpp"

#include <algorithm>
#include <limits>

#include "lacp/base/error.hpp"
#include "store/manifest.hpp"

namespace lacp {
namespace {

std::optional<double> value_of(const Cell& cell, const Quantity& q) {
  if (q.metric != size_metric) return cell.value(q.metric, q.alpha, q.bin);
  if (cell.value("infinite", q.alpha).value_or(0.0) > 0.0) return std::numeric_limits<double>::infinity();
  return cell.value("size_mean", q.alpha);
}

}  // namespace

Results collect_results(const std::filesystem::path& folder, Experiment experiment,
                        const std::function<bool(const Cell&)>& fits) {
  Results results{folder, std::move(experiment), {}, {}, {}};
  const Experiment& e = results.experiment;
  for (const std::string& dataset : e.datasets)
    for (std::size_t run = 0; run < e.runs; ++run)
      for (const std::string& method : e.methods) {
        const Task task{dataset, run, method};
        const std::filesystem::path path = cell_path(folder, task);
        std::error_code error;  // of a folder that cannot be read: reading the cell says so
        if (!std::filesystem::exists(path, error) && !error) {
          results.missing.push_back(task);
          continue;
        }
        Cell cell = read_cell(path);
        if (cell.task != task)
          user_error("{}: holds task {} {} {}; delete it and run again", path.string(), cell.task.dataset,
                     cell.task.run, cell.task.method);
        if (fits && !fits(cell))
          results.different.push_back(task);
        else
          results.cells.emplace(task, std::move(cell));
      }
  return results;
}

Results load_results(const std::filesystem::path& folder) {
  const Experiment experiment = load_manifest(folder);
  return collect_results(folder, experiment, [&](const Cell& cell) {
    return cell.settings == settings_hash(experiment, cell.task, cell.data);
  });
}

std::map<std::size_t, double> by_run(const Results& results, const Quantity& quantity) {
  std::map<std::size_t, double> values;
  Task task{std::string(quantity.dataset), 0, std::string(quantity.method)};
  for (; task.run < results.experiment.runs; ++task.run) {
    const auto found = results.cells.find(task);
    if (found == results.cells.end()) continue;
    if (const auto value = value_of(found->second, quantity)) values.emplace(task.run, *value);
  }
  return values;
}

Moments summarise(const Results& results, const Quantity& quantity) {
  std::vector<double> values;
  for (const auto& [run, value] : by_run(results, quantity)) values.push_back(value);
  return moments(values);
}

bool has_dataset(const Results& results, std::string_view dataset) {
  return std::ranges::find(results.experiment.datasets, dataset) != results.experiment.datasets.end();
}

bool has_method(const Results& results, std::string_view method) {
  return std::ranges::find(results.experiment.methods, method) != results.experiment.methods.end();
}

}  // namespace lacp
