#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

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

/// Does the tasks and stores each as soon as it is done. A task that throws leaves a failure and the others
/// go on. A process that is killed meanwhile keeps what it has stored.
Outcome execute(const Work& work);

struct Prepared;

/// Hands planned tasks to worker threads together with the part that the tasks of a (data set, run) share.
/// Whoever claims the first of them computes that part; meanwhile others get tasks of other groups, or wait.
/// The shared part is let go with the last task of its group.
///
/// The longest task comes first, but a group is begun only while fewer than `threads` others have tasks to
/// give out: at most twice that many shared parts are held at once, and no thread waits for lack of them.
class WorkQueue {
 public:
  /// `tasks` are in the order of `plan`.
  WorkQueue(const std::vector<PlannedTask>& tasks, std::size_t threads);

  struct Claim {
    std::size_t group = 0;
    Task task;
    double cost = 0.0;                         ///< as planned
    std::shared_ptr<const Prepared> prepared;  ///< null if the claimer has to compute it and hand it in
    std::exception_ptr failure;                ///< not null: why the shared part could not be computed
  };

  /// The next task; nothing when none is left.
  std::optional<Claim> claim();

  /// Hands in the shared part, or the reason why there is none.
  void provide(std::size_t group, std::shared_ptr<const Prepared> prepared, std::exception_ptr failure = {});

  /// Ends a claim. True if it was the last of its group.
  bool finish(const Claim& claim);

 private:
  struct Group {
    bool preparing = false;
    std::shared_ptr<const Prepared> prepared;
    std::exception_ptr failure;
    std::vector<PlannedTask> tasks;  // in the order of the plan
    std::size_t claimed = 0, finished = 0;

    double next_cost() const { return tasks[claimed].cost; }
  };
  Group* next_group();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Group> groups_;       // by their first task in the plan
  std::size_t untouched_ = 0;       // groups from here on are
  std::vector<std::size_t> begun_;  // groups that have tasks to give out
  std::size_t most_begun_;
};

}  // namespace lacp
