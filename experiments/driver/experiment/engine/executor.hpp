#pragma once

#include "experiment/engine/plan.hpp"
#include "experiment/store/store.hpp"

namespace lacp {

/// Everything that a pool of worker threads needs.
struct Work {
  /// These tasks in the order in which they are done, by what tasks took before.
  std::vector<PlannedTask> planned(const std::vector<Task>& tasks,
                                   const std::map<Task, double>& seconds) const;

  /// Tells which data sets were left out, and how to get their files.
  void report_left_out(const std::vector<std::string>& names) const;

  Experiment experiment;
  std::filesystem::path folder;                     ///< results/<experiment>
  std::map<std::string, SurveyedDataset> datasets;  ///< of the survey
  std::vector<PlannedTask> tasks = {};              ///< in the order of `planned`
  std::size_t jobs = 1;                             ///< threads
  /// Takes each result, from any thread, instead of the folder, to which nothing is written then.
  std::function<void(const TaskResult&)> take = {};
};

struct Outcome {
  std::size_t done = 0;  ///< tasks that were finished
  Failures failures;
  double idle = 0.0;                          ///< share of the threads' time in which they had no task
  std::map<std::string, std::size_t> filled;  ///< missing cells that means stand in for, by data set
};

/// Does the tasks and stores each as soon as it is done. A thread takes the tasks of a (data set, run), whose
/// shared part it computes first; once all are taken it helps others with theirs. A task that throws leaves a
/// failure and the others go on. A process that is killed meanwhile keeps what it has stored.
Outcome execute(const Work& work);

}  // namespace lacp
