#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lacp/datasets/description.hpp"
#include "store/cell.hpp"
#include "store/records.hpp"
#include "work/schedule.hpp"

namespace lacp {

/// Everything that a pool of worker threads needs.
struct Work {
  Experiment experiment;
  std::filesystem::path folder;                        ///< results/<experiment>
  std::filesystem::path records;                       ///< where failures.csv goes
  std::vector<PlannedTask> tasks;                      ///< in the order of `plan`
  std::map<std::string, DatasetDescription> datasets;  ///< of the tasks
  std::map<std::string, std::string> fingerprints;     ///< of the data sets
  std::size_t jobs = 1;                                ///< threads
  bool redo = false;                                   ///< note in redone.csv what is done
  std::map<Task, std::string> before;                  ///< checksums of the cells that are there, for that
  /// Takes each result, from any thread, instead of the folder, to which nothing is written then.
  std::function<void(const TaskResult&)> take = {};
};

struct Outcome {
  std::map<Task, double> seconds;  ///< of the tasks that were finished
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
