#include "report/analysis/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "common/frame.hpp"
#include "common/process.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

std::optional<double> value_of(const Cell& cell, const Quantity& q) {
  if (q.metric != size_metric) return cell.value(q.metric, q.alpha, q.bin);
  if (cell.value("infinite", q.alpha).value_or(0.0) > 0.0) return std::numeric_limits<double>::infinity();
  return cell.value("size_mean", q.alpha);
}

void add_cell(Results& results, const Task& task, CellCheck& check) {
  if (check.state == CellState::done) {
    results.cells.emplace(task, std::move(*check.cell));
  } else if (check.failure) {  // an old cell of it is not waiting to be done again
    results.missing.push_back(task);
    results.failed.emplace(task, *check.failure);
  } else if (check.state == CellState::damaged) {
    user_error("{}; to run it again: {}", check.message, results.rerun);
  } else {
    (check.state == CellState::changed ? results.different : results.missing).push_back(task);
  }
}

/// From runs.csv: the size and the validity of each run and level, empty where the task failed.
void add_runs(Results& results, const std::vector<Task>& tasks) {
  for (const Row& row : read_frame(results.folder / "runs.csv")) {
    const Task task{row["dataset"], row.count("run"), row["method"]};
    if (row["size"].empty()) {
      results.failed[task] = "failed";
      continue;
    }
    Cell& cell = results.cells[task];
    cell.task = task;
    cell.values.push_back({"size_mean", row["alpha"], 0, row.number("size")});
    cell.values.push_back({"validity", row["alpha"], 0, row.number("validity")});
    for (const char* share : {"infinite", "empty"}) cell.values.push_back({share, row["alpha"], 0, 0.0});
  }
  for (const Task& task : tasks)
    if (!results.cells.contains(task)) results.missing.push_back(task);
}

/// What a table is made of.
bool is_in_tables(const Measurement& value) {
  constexpr std::array metrics = {"size_mean", "validity",      "infinite",          "empty",
                                  "rows_test", "scored_points", "calibration_points"};
  return std::ranges::count(metrics, value.metric) > 0;
}

Results load(const std::filesystem::path& folder, const KeepValue& keep) {
  const Manifest manifest = load_manifest(folder);
  Results results{
      .folder = folder,
      .source = manifest.source,
      .experiment = manifest.experiment,
      .rerun = "lacp run " + shell_quoted(folder.string()),
      .in_part = std::filesystem::exists(folder / "runs.csv") && !std::filesystem::exists(folder / "cells")};
  if (!is_name(results.experiment.name))
    user_error("{}: a folder's name may have letters, digits, '_', '-', '.' only; rename it",
               one_line(folder.string()));
  const std::vector<Task> tasks = grid(results.experiment);
  std::map<std::string, std::string> fingerprints;
  for (const std::string& name : results.experiment.datasets) {
    const auto data = manifest.data.find(name);
    const Manifest::DataSums sums = data == manifest.data.end() ? Manifest::DataSums() : data->second;
    fingerprints[name] = sums.fingerprint;
    if (sums.log_target) results.log_targets.push_back(name);
    if (sums.synthetic) results.synthetic.push_back(name);
  }
  if (results.in_part) {
    add_runs(results, tasks);
    return results;
  }
  const Cells cells(folder);
  constexpr std::size_t together = 1000;  // tasks, so that no list of all checks lies beside the cells
  for (std::size_t first = 0; first < tasks.size(); first += together) {
    const auto some = std::span(tasks).subspan(first, std::min(together, tasks.size() - first));
    const std::vector<Task> part(some.begin(), some.end());
    std::vector<CellCheck> checks = check_cells(cells, results.experiment, part, fingerprints, keep);
    for (std::size_t i = 0; i < part.size(); ++i) add_cell(results, part[i], checks[i]);
  }
  return results;
}

}  // namespace

Results load_results(const std::filesystem::path& folder) {
  return load(folder, [](const Measurement&) { return true; });
}

Results load_table_results(const std::filesystem::path& folder) { return load(folder, is_in_tables); }

ByRun by_run(const Results& results, const Quantity& quantity) {
  ByRun values;
  Task task{std::string(quantity.dataset), 0, std::string(quantity.method)};
  for (; task.run < results.experiment.runs; ++task.run) {
    const auto found = results.cells.find(task);
    if (found == results.cells.end()) continue;
    if (const auto value = value_of(found->second, quantity)) values.emplace(task.run, *value);
  }
  return values;
}

double overlap_of(const Results& results, const std::string& dataset) {
  if (std::ranges::count(results.synthetic, dataset) > 0) return 0.0;
  const SplitOptions& split = results.experiment.split;
  const auto cell =
      std::ranges::find_if(results.cells, [&](const auto& item) { return item.first.dataset == dataset; });
  // Of the test rows, the same in every run; runs that are kept without cells do not say it.
  const EvaluationOptions& evaluation = results.experiment.evaluation;
  double scored = evaluation.mode == EvaluationMode::halves ? 0.5 : 1.0;
  if (cell != results.cells.end() && points_of(cell->second, "rows_test") > 0)
    scored = static_cast<double>(points_of(cell->second, "scored_points")) /
             static_cast<double>(points_of(cell->second, "rows_test"));
  return scored * split.test / (split.proper + split.train);
}

std::vector<double> values_of(const ByRun& by_run) {
  std::vector<double> values;
  for (const auto& [run, value] : by_run) values.push_back(value);
  return values;
}

Moments moments(const ByRun& by_run) { return moments(values_of(by_run)); }

Moments summarise(const Results& results, const Quantity& quantity) {
  return moments(by_run(results, quantity));
}

std::size_t points_of(const Cell& cell, std::string_view metric) {
  return static_cast<std::size_t>(cell.value(metric).value_or(0.0));
}

bool validity_is_constant(const Experiment& experiment, const Cell& cell) {
  return experiment.evaluation.mode == EvaluationMode::leave_one_out &&
         points_of(cell, "scored_points") == points_of(cell, "calibration_points");
}

bool has_dataset(const Results& results, std::string_view dataset) {
  return std::ranges::count(results.experiment.datasets, dataset) > 0;
}

bool has_method(const Results& results, std::string_view method) {
  return std::ranges::count(results.experiment.methods, method) > 0;
}

}  // namespace lacp
