#include "engine/shard.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "settings/grid.hpp"
#include "store/fingerprint.hpp"

namespace lacp {
namespace {

/// In whole numbers, sums come out the same on every machine.
std::uint64_t whole_cost(double cost) {
  return static_cast<std::uint64_t>(std::max(1LL, std::llround(cost * 100)));
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::vector<std::string> parts = split_text(text, '/');
  if (parts.size() == 2) {
    const auto index = parse_integer(parts[0]), count = parse_integer(parts[1]);
    if (index && count && *index >= 1 && *index <= *count && *count <= most_shards)
      return {static_cast<std::size_t>(*index), static_cast<std::size_t>(*count)};
  }
  user_error("--shard {}: expected i/N with i from 1 to N and N up to {}, e.g. --shard 3/8", text,
             most_shards);
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

}  // namespace lacp
