#include "experiment/engine/executor.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <memory>

#include "common/message.hpp"
#include "experiment/engine/run_task.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
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

  void started(const Task& task) {
    const std::lock_guard lock(mutex_);
    running_[task] = Clock::now();
  }

  void finished(const Task& task, double cost, bool failed) {
    const std::lock_guard lock(mutex_);
    running_.erase(task);
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
    // The longest running one tells the most, and the line must fit a terminal.
    const auto oldest =
        std::ranges::min_element(running_, {}, [](const auto& entry) { return entry.second; });
    if (oldest != running_.end())
      text += fmt::format("; {} running: {}{}", running_.size(), to_text(oldest->first),
                          running_.size() > 1 ? ", ..." : "");
    return text;
  }

  std::mutex mutex_;
  std::size_t tasks_, done_ = 0, failed_ = 0;
  double total_cost_, done_cost_ = 0.0;
  bool terminal_ = ::isatty(STDERR_FILENO) != 0, drawn_ = false;
  std::map<Task, Clock::time_point> running_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

/// Data that could not be read, or a result that could not be written: it may go well the next time.
struct Passing : RunError {
  using RunError::RunError;
};

/// Runs a step that has to do with files. `stays` says whether a UserError would come again.
template <class Step>
auto with_files(Step&& step, const std::function<bool()>& stays = {}) {
  try {
    return step();
  } catch (const UserError& error) {
    if (stays && stays()) throw;
    throw Passing(error.what());
  } catch (const std::exception& error) {
    throw Passing(error.what());
  }
}

/// Whether what cannot be read is the very file that the fingerprint is of: then it stays so until the
/// fingerprint changes. A table that is made from another file can be made again.
bool is_the_file(const SurveyedDataset& dataset) {
  if (is_synthetic(dataset.description)) return true;
  const DatasetSource& source = *dataset.description.source;
  try {
    return source.table == source.original &&
           data_fingerprint(dataset.description, sha256(read_file(source.original))) == dataset.fingerprint;
  } catch (const UserError&) {
    return false;
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
  const Clock::time_point start = Clock::now();
  std::atomic<std::size_t> threads_running{0};

  std::mutex mutex;  // guards what follows
  Outcome outcome;
  double busy_seconds = 0.0;  // of all threads
};

/// `settings` is the hash that it will fail with again; "" if it may go well the next time.
void record_failure(Shared& shared, const Task& task, double seconds, const std::string& why,
                    const std::string& settings) {
  const std::string reason(trim(one_line(why)));
  if (!shared.work.take || settings.empty())  // else whoever takes results knows whether it is news
    shared.progress.say(fmt::format("failed: {}: {}", to_text(task), reason));
  const std::lock_guard lock(shared.mutex);
  shared.outcome.failures[task] = {reason, settings};
  if (shared.work.take) return;
  try {
    Cell cell{.task = task, .settings = settings, .data = "", .values = {}};
    if (!settings.empty()) cell.data = shared.work.datasets.at(task.dataset).fingerprint;
    cell.failure = reason;
    cell.commit = program_commit;
    cell.seconds = seconds;
    store_cell(shared.work.folder, cell);
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
        [&] { return load_run(dataset.description, dataset.fingerprint, experiment.seed, first.run); },
        [&] { return is_the_file(dataset); });
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
  if (shared.work.take)
    shared.work.take(result);
  else
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
    shared.progress.started(task);
    const auto fail = [&, &which = task](const std::string& reason, const std::string& settings) {
      failed = true;
      record_failure(shared, which, seconds_since(start), reason, settings);
    };
    try {
      do_task(shared, group, task);
    } catch (const Passing& error) {
      fail(error.what(), "");
    } catch (const std::bad_alloc&) {
      fail("not enough memory", "");
    } catch (const std::exception& error) {
      fail(error.what(),
           settings_hash(shared.work.experiment, task, shared.work.datasets.at(task.dataset).fingerprint));
    }
    shared.progress.finished(task, cost, failed);
    if (++group.finished == group.tasks.size()) group.prepared.reset();
    const std::lock_guard lock(shared.mutex);
    shared.busy_seconds += seconds_since(start);
    shared.outcome.idle =
        1.0 - shared.busy_seconds / (static_cast<double>(shared.work.jobs) * seconds_since(shared.start));
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

std::vector<PlannedTask> Work::planned(const std::vector<Task>& these,
                                       const std::map<Task, double>& seconds) const {
  return plan(
      experiment, these,
      [&](const std::string& name) { return expected_rows(datasets.at(name).description); }, seconds);
}

void Work::report_left_out(const std::vector<std::string>& names) const {
  tell("left out, because their files are missing: {}\n", join(names, ", "));
  std::vector<std::string> to_fetch;
  for (const std::string& name : names) {
    const DatasetDescription& description = datasets.at(name).description;
    if (can_fetch(description))
      to_fetch.push_back(name);
    else
      tell("{}: {} is not there; {}\n", name, description.source->original.string(), how_to_get(description));
  }
  if (!to_fetch.empty()) tell("To get them: lacp datasets fetch {}\n", join(to_fetch, " "));
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
