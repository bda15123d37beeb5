#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan.hpp"

namespace lacp {

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
    std::shared_ptr<const Prepared> prepared;  ///< null if the claimer has to compute it and hand it in
    std::exception_ptr failure;                ///< not null: why the shared part could not be computed
  };

  /// The next task; nothing when none is left or the queue was stopped.
  std::optional<Claim> claim();

  /// Hands in the shared part, or the reason why there is none.
  void provide(std::size_t group, std::shared_ptr<const Prepared> prepared);
  void provide_failure(std::size_t group, std::exception_ptr reason);

  /// Ends a claim. True if it was the last of its group.
  bool finish(const Claim& claim);

  /// No more claims are given out.
  void stop();
  bool stopped() const;

 private:
  enum class State { untouched, preparing, ready, failed };
  struct Group {
    State state = State::untouched;
    std::shared_ptr<const Prepared> prepared;
    std::exception_ptr failure;
    std::vector<PlannedTask> tasks;  // in the order of the plan
    std::size_t claimed = 0, finished = 0;

    double next_cost() const { return tasks[claimed].cost; }
  };
  Group* next_group();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Group> groups_;       // by their first task in the plan
  std::size_t untouched_ = 0;       // groups from here on are
  std::vector<std::size_t> begun_;  // groups that have tasks to give out
  std::size_t most_begun_;
  bool stopped_ = false;
};

}  // namespace lacp
