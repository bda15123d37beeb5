#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/catalog.hpp"
#include "engine/schedule.hpp"
#include "settings/experiment.hpp"

namespace lacp {

/// One of `count` shares of an experiment's tasks, counted from 1: what one worker does where several share a
/// folder of results and nothing else.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;
  bool operator==(const Shard&) const = default;
};

inline constexpr long long most_shards = 1000000;

/// Reads "3/8". UserError for anything that is not a share.
Shard parse_shard(const std::string& text);

/// "3/8".
std::string to_text(const Shard& shard);

/// Which shard, from 1 to `count`, does each task: run after run, the expensive tasks of a run first, each to
/// the shard that has least so far. So no two shards differ by more than the most expensive task, the answer
/// depends on nothing but the tasks and their costs, and a task of run r stays where it is when runs are
/// added after r. Tasks of one (data set, run) may part: what they share is cheap beside a training, and
/// balance is worth more.
std::map<Task, std::size_t> assign_shards(std::vector<PlannedTask> tasks, std::size_t count);

/// The same for the whole grid of an experiment, done or not, its data available or missing.
std::map<Task, std::size_t> shards_of(const Experiment& experiment, const Catalog& catalog,
                                      std::size_t count);

/// The tasks of one shard, in the order of the grid.
std::vector<Task> tasks_of(const Experiment& experiment, const Catalog& catalog, const Shard& shard);

}  // namespace lacp
