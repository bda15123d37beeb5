#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "datasets/description.hpp"
#include "engine/plan.hpp"
#include "store/store.hpp"

namespace lacp {

/// Everything that a pool of worker threads needs.
struct Work {
  Work(const Experiment& what, const Survey& found);

  /// These tasks in the order in which they are done, by what tasks took before.
  std::vector<PlannedTask> planned(const std::vector<Task>& tasks,
                                   const std::map<Task, double>& seconds) const;

  /// Tells which data sets were left out, and how to get their files.
  void report_left_out(const std::vector<std::string>& names) const;

  Experiment experiment;
  std::filesystem::path folder;                        ///< results/<experiment>
  std::vector<PlannedTask> tasks = {};                 ///< in the order of `planned`
  std::map<std::string, DatasetDescription> datasets;  ///< of the survey
  std::map<std::string, std::string> fingerprints;     ///< of the data sets
  std::size_t jobs = 1;                                ///< threads
  std::shared_ptr<CellLog> log;                        ///< where results go
  /// Takes each result, from any thread, instead of the folder, to which nothing is written then.
  std::function<void(const TaskResult&)> take = {};
};

struct Outcome {
  std::size_t done = 0;  ///< tasks that were finished
  Failures failures;
  double idle = 0.0;                          ///< share of the threads' time in which they had no task
  std::map<std::string, std::size_t> filled;  ///< missing cells that means stand in for, by data set
  bool interrupted = false;                   ///< by SIGINT or SIGTERM
  bool abandoned = false;  ///< threads are still busy: the caller must end the process without cleaning up
};

/// Does the tasks and stores each as soon as it is done. A task that throws leaves a failure and the others
/// go on. On SIGINT or SIGTERM no task is begun any more and the function returns within a fraction of a
/// second.
Outcome execute(const Work& work);

}  // namespace lacp
