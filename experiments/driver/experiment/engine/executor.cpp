#include "experiment/engine/executor.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>

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

/// Shared by the threads.
struct Shared {
  explicit Shared(const Work& all)
      : work(all),
        data(all.experiment.seed),
        queue(all.tasks, all.jobs),
        progress(all.tasks.size(), total_cost(all.tasks)) {
    std::map<std::string, std::set<std::size_t>> runs;
    for (const PlannedTask& planned : all.tasks) runs[planned.task.dataset].insert(planned.task.run);
    for (const auto& [name, numbers] : runs) {
      const SurveyedDataset& dataset = all.datasets.at(name);
      data.add(dataset.description, numbers.size(), dataset.fingerprint);
    }
  }

  Work work;
  DataSource data;
  WorkQueue queue;
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
    cell.failure = reason, cell.commit = program_commit, cell.seconds = seconds;
    store_cell(shared.work.folder, cell);
  } catch (const std::exception& error) {
    shared.progress.say(error.what());  // a full disk; the caller names the failures once more at the end
  }
}

std::shared_ptr<const Prepared> prepare_group(Shared& shared, const WorkQueue::Claim& claim) {
  try {
    const std::string& name = claim.task.dataset;
    const auto dataset = with_files([&] { return shared.data.get(name, claim.task.run); },
                                    [&] { return is_the_file(shared.work.datasets.at(name)); });
    if (dataset->filled > 0) {
      const std::lock_guard lock(shared.mutex);
      shared.outcome.filled[name] = dataset->filled;
    }
    auto prepared =
        std::make_shared<const Prepared>(prepare(shared.work.experiment, *dataset, claim.task.run));
    shared.queue.provide(claim.group, prepared);
    return prepared;
  } catch (const std::exception&) {
    shared.queue.provide(claim.group, nullptr, std::current_exception());
    throw;
  }
}

void do_task(Shared& shared, const WorkQueue::Claim& claim) {
  if (claim.failure) std::rethrow_exception(claim.failure);
  const auto start = Clock::now();
  const auto prepared = claim.prepared ? claim.prepared : prepare_group(shared, claim);
  TaskResult result = run_task(shared.work.experiment, *prepared, claim.task);
  if (shared.work.take)
    shared.work.take(result);
  else
    with_files([&] {
      result.cell.commit = program_commit, result.cell.seconds = seconds_since(start);
      store_result(shared.work.folder, shared.work.experiment,
                   shared.work.datasets.at(claim.task.dataset).fingerprint, result);
    });
  const std::lock_guard lock(shared.mutex);
  shared.outcome.done += 1;
}

void work_until_done(Shared& shared) {
  while (const auto claim = shared.queue.claim()) {
    bool failed = false;
    const auto start = Clock::now();
    shared.progress.started(claim->task);
    const auto fail = [&](const std::string& reason, const std::string& settings) {
      failed = true;
      record_failure(shared, claim->task, seconds_since(start), reason, settings);
    };
    try {
      do_task(shared, *claim);
    } catch (const Passing& error) {
      fail(error.what(), "");
    } catch (const std::bad_alloc&) {
      fail("not enough memory", "");
    } catch (const std::exception& error) {
      fail(error.what(), settings_hash(shared.work.experiment, claim->task,
                                       shared.work.datasets.at(claim->task.dataset).fingerprint));
    }
    shared.progress.finished(claim->task, claim->cost, failed);
    if (shared.queue.finish(*claim)) shared.data.release(claim->task.dataset);
    const std::lock_guard lock(shared.mutex);
    shared.busy_seconds += seconds_since(start);
    shared.outcome.idle =
        1.0 - shared.busy_seconds / (static_cast<double>(shared.work.jobs) * seconds_since(shared.start));
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
