#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <memory>

#include "common/advice.hpp"
#include "common/message.hpp"
#include "experiment/engine/plan.hpp"
#include "experiment/engine/run_task.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"

namespace lacp {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Says on standard error how far a run is: one line that is drawn over and over on a terminal, a plain line
/// now and then in a pipe. All functions may be called from any thread.
class Progress {
 public:
  /// `total_cost` is the sum of the planned costs, from which the time left is estimated.
  Progress(std::size_t tasks, double total_cost) : tasks_(tasks), total_cost_(total_cost) {}
  ~Progress() { erase(); }

  void finished(double cost, bool failed) {
    const std::lock_guard lock(mutex_);
    done_ += 1;
    failed_ += failed ? 1 : 0;
    done_cost_ += cost;
  }

  /// A message of its own line, e.g. about a failure.
  void say(const std::string& message) {
    const std::lock_guard lock(mutex_);
    erase();
    tell("{}\n", message);
  }

  /// Draws, if it is time to; called regularly by one thread.
  void tick() {
    if (quiet) return;
    const std::lock_guard lock(mutex_);
    if (Clock::now() - last_ < (terminal_ ? 200ms : 10s)) return;
    last_ = Clock::now();
    tell("{}{}{}", terminal_ ? "\r" : "", line(), terminal_ ? "\033[K" : "\n");
    drawn_ = terminal_;
  }

 private:
  void erase() {
    if (drawn_) tell("\r\033[K");
    drawn_ = false;
  }

  std::string line() const {
    std::string text = fmt::format("{} of {} done", done_, counted(tasks_, "task"));
    if (failed_ > 0) text += fmt::format(", {} failed", failed_);
    if (done_cost_ > 0.0)
      text += fmt::format(", about {} left",
                          duration_text(seconds_since(start_) * (total_cost_ / done_cost_ - 1.0)));
    return text;
  }

  std::mutex mutex_;
  std::size_t tasks_, done_ = 0, failed_ = 0;
  double total_cost_, done_cost_ = 0.0;
  bool terminal_ = ::isatty(STDERR_FILENO) != 0, drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

/// Data that could not be read, or a result that could not be written: it may go well the next time.
struct Passing : RunError {
  using RunError::RunError;
};

/// Runs a step that has to do with files.
auto with_files(const auto& step) {
  try {
    return step();
  } catch (const std::exception& error) {
    throw Passing(message_with_advice(error));
  }
}

/// The tasks of a (data set, run).
struct Group {
  std::vector<PlannedTask> tasks;  // in the order of the plan
  std::atomic<bool> taken = false;
  std::atomic<std::size_t> next = 0, finished = 0;

  std::atomic<bool> ready = false;  // what follows is, which the thread that took the group computes
  std::unique_ptr<const Prepared> prepared;
  std::exception_ptr failure;
};

/// Shared by the threads.
struct Shared {
  explicit Shared(const Work& all) : work(all), progress(all.tasks.size(), total_cost(all.tasks)) {
    std::map<std::pair<std::string, std::size_t>, Group*> places;
    for (const PlannedTask& planned : all.tasks) {
      Group*& group = places[{planned.task.dataset, planned.task.run}];
      if (group == nullptr) group = &groups.emplace_back();
      group->tasks.push_back(planned);
    }
  }

  Work work;
  std::deque<Group> groups;  // by their first task in the plan
  Progress progress;
  std::atomic<std::size_t> threads_running{0};

  std::mutex mutex;  // guards what follows
  Outcome outcome;
};

/// `will_again`: with the same settings and data, so that it is kept.
void record_failure(Shared& shared, const Task& task, double seconds, const std::string& why,
                    bool will_again) {
  const std::string reason(trim(one_line(why)));
  if (shared.work.tell_failures || !will_again)
    shared.progress.say(fmt::format("failed: {}: {}", to_text(task), reason));
  const std::lock_guard lock(shared.mutex);
  shared.outcome.failures[task] = reason;
  if (!will_again) return;
  const std::string& data = shared.work.datasets.at(task.dataset).fingerprint;
  try {
    store_cell(shared.work.folder, {.task = task,
                                    .settings = settings_hash(shared.work.experiment, task, data),
                                    .data = data,
                                    .values = {},
                                    .failure = reason,
                                    .commit = program_commit,
                                    .seconds = seconds});
  } catch (const std::exception& error) {
    shared.progress.say(error.what());  // a full disk; the caller names the failures once more at the end
  }
}

void prepare_group(Shared& shared, Group& group) {
  const Task& first = group.tasks.front().task;
  const SurveyedDataset& dataset = shared.work.datasets.at(first.dataset);
  const Experiment& experiment = shared.work.experiment;
  try {
    Dataset data = with_files(
        [&] { return load_run(dataset.description, dataset.fingerprint, experiment.seed, first.run); });
    if (data.filled > 0) {
      const std::lock_guard lock(shared.mutex);
      shared.outcome.filled[first.dataset] = data.filled;
    }
    group.prepared = std::make_unique<const Prepared>(prepare(experiment, std::move(data), first.run));
  } catch (...) {
    group.failure = std::current_exception();
  }
  group.ready = true;
  group.ready.notify_all();
}

void do_task(Shared& shared, Group& group, const Task& task) {
  const auto start = Clock::now();
  if (!group.ready) prepare_group(shared, group);
  if (group.failure) std::rethrow_exception(group.failure);
  TaskResult result = run_task(shared.work.experiment, *group.prepared, task);
  with_files([&] {
    result.cell.commit = program_commit;
    result.cell.seconds = seconds_since(start);
    store_result(shared.work.folder, shared.work.experiment,
                 shared.work.datasets.at(task.dataset).fingerprint, result);
  });
  const std::lock_guard lock(shared.mutex);
  shared.outcome.done += 1;
}

/// Does tasks of a group until none is left.
void do_group(Shared& shared, Group& group) {
  for (std::size_t i = group.next++; i < group.tasks.size(); i = group.next++) {
    const auto& [task, cost] = group.tasks[i];
    bool failed = false;
    const auto start = Clock::now();
    const auto fail = [&, &which = task](const std::string& reason, bool will_again) {
      failed = true;
      record_failure(shared, which, seconds_since(start), reason, will_again);
    };
    try {
      do_task(shared, group, task);
    } catch (const Passing& error) {
      fail(error.what(), false);
    } catch (const std::bad_alloc&) {
      fail("not enough memory", false);
    } catch (const std::exception& error) {
      fail(message_with_advice(error), true);
    }
    shared.progress.finished(cost, failed);
    if (++group.finished == group.tasks.size()) group.prepared.reset();
  }
}

void work_until_done(Shared& shared) {
  for (Group& group : shared.groups)
    if (!group.taken.exchange(true)) do_group(shared, group);
  // All are taken: what others have not begun yet, first where nobody has to be waited for.
  for (Group& group : shared.groups)
    if (group.ready) do_group(shared, group);
  for (Group& group : shared.groups) {
    group.ready.wait(false);
    do_group(shared, group);
  }
}

}  // namespace

std::vector<PlannedTask> Work::planned(const std::vector<Task>& these) const {
  return plan(experiment, these,
              [&](const std::string& name) { return expected_rows(datasets.at(name).description); });
}

void Work::report_left_out(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    const DatasetDescription& description = datasets.at(name).description;
    tell("{}: left out, {} is missing; {}\n", name, description.source->path.string(),
         how_to_get(description));
  }
}

Outcome execute(const Work& work) {
  Shared shared(work);
  shared.threads_running = work.jobs;
  {
    const std::vector<std::jthread> threads = start_threads(work.jobs, [&] {
      work_until_done(shared);
      shared.threads_running -= 1;
    });
    shared.threads_running -= work.jobs - threads.size();
    if (threads.empty()) work_until_done(shared);
    for (; shared.threads_running > 0; std::this_thread::sleep_for(20ms)) shared.progress.tick();
  }
  return shared.outcome;
}

}  // namespace lacp
