#pragma once

#include <functional>
#include <optional>

#include "experiment/store/store.hpp"

namespace lacp {

/// A task and what it will cost, in units that only compare tasks with each other.
struct PlannedTask {
  Task task;
  double cost = 0.0;
};

/// The tasks, the longest first, so that no thread ends long after the others. `rows` tells the size of a
/// data set, 0 if it is not known.
std::vector<PlannedTask> plan(const Experiment& experiment, const std::vector<Task>& tasks,
                              const std::function<std::size_t(const std::string&)>& rows);

/// A random sample of the tasks, in their order. The same seed draws the same sample everywhere.
std::vector<Task> draw(const std::vector<Task>& tasks, std::size_t sample, std::uint64_t seed);

/// The sum of what they cost.
double total_cost(const std::vector<PlannedTask>& tasks);

/// One of `count` shares of an experiment's tasks, counted from 1, for workers that share only a folder.
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
/// the shard that has least so far. So no two shards differ by more than the most expensive task, and a task
/// of run r stays where it is when runs are added after r. Tasks of one (data set, run) may part: what they
/// share is cheap beside a training.
std::map<Task, std::size_t> assign_shards(std::vector<PlannedTask> tasks, std::size_t count);

/// The same for the whole grid of an experiment, done or not, its data available or missing.
std::map<Task, std::size_t> shards_of(const Experiment& experiment, const Catalog& catalog,
                                      std::size_t count);

/// The tasks of one shard, in the order of the grid.
std::vector<Task> tasks_of(const Experiment& experiment, const Catalog& catalog, const Shard& shard);

/// The share of the Slurm array task that this process runs in; nothing outside an array. UserError for an
/// array with gaps (--array=3,7): Slurm does not say how many shards there were, so --shard must.
std::optional<Shard> slurm_shard();

/// Everything that a pool of worker threads needs.
struct Work {
  /// These tasks in the order in which they are done.
  std::vector<PlannedTask> planned(const std::vector<Task>& tasks) const;

  /// Tells which data sets were left out, and how to get their files.
  void report_left_out(const std::vector<std::string>& names) const;

  Experiment experiment;
  std::filesystem::path folder;                     ///< results/<experiment>
  std::map<std::string, SurveyedDataset> datasets;  ///< of the survey
  std::vector<PlannedTask> tasks = {};              ///< in the order of `planned`
  std::size_t jobs = 1;                             ///< threads
  bool tell_failures = true;                        ///< those that will come again, too
};

struct Outcome {
  std::size_t done = 0;  ///< tasks that were finished
  Failures failures;
  std::map<std::string, std::size_t> filled;  ///< missing cells that means stand in for, by data set
};

/// Does the tasks and stores each as soon as it is done. A thread takes the tasks of a (data set, run), whose
/// shared part it computes first; once all are taken it helps others with theirs. A task that throws leaves a
/// failure and the others go on. A process that is killed meanwhile keeps what it has stored.
Outcome execute(const Work& work);

}  // namespace lacp
