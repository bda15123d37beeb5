#include "experiment/engine/plan.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <tuple>

#include "common/threads.hpp"
#include "experiment/store/store.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/random.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"

namespace lacp {
namespace {

/// Measured on the smoke experiment, relative to a class in closed form: the KNN part and the metrics that a
/// method without training still costs, and the root-finding of a class that is no scale family.
constexpr double untrained = 0.02, root_finding = 3.0;

/// Stands in for the size of a data set whose description does not say it.
constexpr std::size_t usual_rows = 10000;

double expected_cost(const Experiment& experiment, const Task& task, std::size_t rows) {
  const Method& method = find_method(task.method);
  const double size = static_cast<double>(rows == 0 ? usual_rows : rows);
  if (method.learning == Learning::none) return untrained * size;
  const double epochs = static_cast<double>(experiment.training.epochs);
  const bool finds_roots = method.learning == Learning::size && !method.scale_family;
  return size * experiment.split.train * epochs * (finds_roots ? root_finding : 1.0);
}

/// In whole numbers, sums come out the same on every machine.
std::uint64_t whole_cost(double cost) {
  return static_cast<std::uint64_t>(std::max(1LL, std::llround(cost * 100)));
}

}  // namespace

std::vector<PlannedTask> plan(const Experiment& experiment, const std::vector<Task>& tasks,
                              const std::function<std::size_t(const std::string&)>& rows) {
  std::vector<PlannedTask> planned;
  for (const Task& task : tasks)
    planned.push_back({task, expected_cost(experiment, task, rows(task.dataset))});
  std::ranges::sort(planned, {}, [](const PlannedTask& p) {
    return std::tuple(-p.cost, p.task.dataset, p.task.run, p.task.method);
  });
  return planned;
}

std::vector<Task> draw(const std::vector<Task>& tasks, std::size_t sample, std::uint64_t seed) {
  Stream stream(StreamName{seed, "", 0, "", "verify"});
  std::vector<std::size_t> order = stream.permutation(tasks.size());
  order.resize(std::min(sample, order.size()));
  std::ranges::sort(order);
  std::vector<Task> drawn;
  for (const std::size_t i : order) drawn.push_back(tasks[i]);
  return drawn;
}

double total_cost(const std::vector<PlannedTask>& tasks) {
  double sum = 0.0;
  for (const PlannedTask& planned : tasks) sum += planned.cost;
  return sum;
}

Shard parse_shard(const std::string& text) {
  const std::vector<std::string> parts = split_text(text, '/');
  if (parts.size() == 2) {
    const auto index = parse_integer(parts[0]), count = parse_integer(parts[1]);
    if (index && count && *index >= 1 && *index <= *count && *count <= most_shards)
      return {static_cast<std::size_t>(*index), static_cast<std::size_t>(*count)};
  }
  user_error("--shard {}: expected i/N, i from 1 to N, N up to {}", text, most_shards);
}

std::string to_text(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

std::map<Task, std::size_t> assign_shards(std::vector<PlannedTask> tasks, std::size_t count) {
  std::ranges::sort(tasks, {}, [](const PlannedTask& p) {
    return std::tuple(p.task.run, -p.cost, p.task.dataset, p.task.method);
  });
  using Load = std::pair<std::uint64_t, std::size_t>;  // what a shard has so far, and which it is
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t shard = 1; shard <= count; ++shard) loads.emplace(0, shard);
  std::map<Task, std::size_t> shards;
  for (const PlannedTask& planned : tasks) {
    const auto [load, shard] = loads.top();
    loads.pop();
    shards[planned.task] = shard;
    loads.emplace(load + whole_cost(planned.cost), shard);
  }
  return shards;
}

std::map<Task, std::size_t> shards_of(const Experiment& experiment, const Catalog& catalog,
                                      std::size_t count) {
  std::map<std::string, std::size_t> rows;
  for (const std::string& name : experiment.datasets) rows[name] = expected_rows(catalog.find(name));
  return assign_shards(
      plan(experiment, grid(experiment), [&](const std::string& name) { return rows.at(name); }), count);
}

std::vector<Task> tasks_of(const Experiment& experiment, const Catalog& catalog, const Shard& shard) {
  std::vector<Task> tasks = grid(experiment);
  if (shard.count == 1) return tasks;
  const auto shards = shards_of(experiment, catalog, shard.count);
  std::erase_if(tasks, [&](const Task& task) { return shards.at(task) != shard.index; });
  return tasks;
}

std::optional<Shard> slurm_shard() {
  const auto id = slurm_number("SLURM_ARRAY_TASK_ID"), count = slurm_number("SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return std::nullopt;
  const std::size_t first = slurm_number("SLURM_ARRAY_TASK_MIN").value_or(1);
  const std::size_t last = slurm_number("SLURM_ARRAY_TASK_MAX").value_or(first + *count - 1);
  if (*id < first || *id > last || last - first + 1 != *count)
    user_error("task {} of a Slurm array with gaps between {} and {}: give the shard by --shard i/N", *id,
               first, last);
  return Shard{*id - first + 1, *count};
}

}  // namespace lacp
