#include "engine/executor.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <set>

#include "common/message.hpp"
#include "engine/run_task.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"

namespace lacp {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds patience_after_signal{250}, tick{20};

std::atomic<bool> taken_elsewhere{false};

/// As long as it lives, SIGINT and SIGTERM are blocked in this thread and those it starts, and taken from
/// here instead, so nothing is ever interrupted half way. A thread that a library started before may get one
/// too: a handler is there for it, since without one that would end the process.
class SignalsHere {
 public:
  SignalsHere() {
    taken_elsewhere = false;
    struct sigaction note {};
    note.sa_handler = [](int) { taken_elsewhere = true; };
    note.sa_flags = SA_RESTART;
    sigemptyset(&set_);
    for (std::size_t i = 0; i < signals_.size(); ++i) {
      sigaddset(&set_, signals_[i]);
      sigaction(signals_[i], &note, &actions_[i]);
    }
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  SignalsHere(const SignalsHere&) = delete;
  SignalsHere& operator=(const SignalsHere&) = delete;
  ~SignalsHere() {
    for (std::size_t i = 0; i < signals_.size(); ++i) sigaction(signals_[i], &actions_[i], nullptr);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  /// Waits this long, below a second, for a signal. True if one came, now or before.
  bool wait(std::chrono::milliseconds longest) const {
    const timespec time{0, std::chrono::nanoseconds(longest).count()};
    return sigtimedwait(&set_, nullptr, &time) > 0 || taken_elsewhere;
  }

 private:
  static constexpr std::array signals_{SIGINT, SIGTERM};
  sigset_t set_{}, before_{};
  std::array<struct sigaction, signals_.size()> actions_{};
};

/// Thrown out of a training when the run is stopped.
struct Cancelled {};

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

/// Whether what cannot be read is the very file that the fingerprint is of: then it stays so until the file
/// or its description changes, and the fingerprint with it. A table that is made from another file can be
/// made again.
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

/// Shared by the threads, and alive as long as one of them is.
struct Shared {
  explicit Shared(const Work& all)
      : work(all),
        data(all.experiment.seed),
        queue(all.tasks, all.jobs),
        progress(all.tasks.size(), total_cost(all.tasks), ::isatty(STDERR_FILENO) != 0) {
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
  const SignalsHere* alone = nullptr;  // where no thread could be started: the work looks for signals itself

  std::mutex mutex;  // guards what follows
  Outcome outcome;
  double busy_seconds = 0.0;  // of all threads
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// `settings` is the hash that it will fail with again; "" if it may go well the next time.
void record_failure(Shared& shared, const Task& task, double seconds, const std::string& why,
                    const std::string& settings) {
  const std::string reason = one_line(why);
  shared.progress.say(fmt::format("failed: {}: {}", to_text(task), reason));
  const std::lock_guard lock(shared.mutex);
  shared.outcome.failures[task] = {reason, settings};
  if (shared.work.take) return;
  try {
    Cell cell{.task = task, .settings = settings, .data = "", .values = {}};
    if (!settings.empty()) cell.data = shared.work.datasets.at(task.dataset).fingerprint;
    cell.failure = reason, cell.commit = program_commit, cell.seconds = seconds;
    shared.work.log->append(cell);
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
  const auto stop_if_asked = [&] {
    if (shared.alone != nullptr && shared.alone->wait({})) shared.queue.stop();
    if (shared.queue.stopped()) throw Cancelled{};
  };
  stop_if_asked();
  const auto start = Clock::now();
  const auto prepared = claim.prepared ? claim.prepared : prepare_group(shared, claim);
  TaskResult result = run_task(shared.work.experiment, *prepared, claim.task, stop_if_asked);
  if (shared.work.take)
    shared.work.take(result);
  else
    with_files([&] {
      result.cell.commit = program_commit, result.cell.seconds = seconds_since(start);
      store_result(*shared.work.log, shared.work.folder, shared.work.experiment,
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
    } catch (const Cancelled&) {
      return;
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
  const SignalsHere signals;
  const auto shared = std::make_shared<Shared>(work);
  shared->threads_running = work.jobs;
  std::vector<std::jthread> threads = start_threads(work.jobs, [shared] {
    work_until_done(*shared);
    shared->threads_running -= 1;
  });
  shared->threads_running -= work.jobs - threads.size();
  if (threads.empty()) {
    shared->alone = &signals;
    work_until_done(*shared);
  }

  std::optional<Clock::time_point> signalled;
  if (threads.empty() && shared->queue.stopped()) signalled = Clock::now();
  while (shared->threads_running > 0) {
    if (signals.wait(tick) && !signalled) {
      signalled = Clock::now();
      shared->queue.stop();
    }
    if (signalled && Clock::now() - *signalled > patience_after_signal) break;
    shared->progress.tick();
  }
  shared->progress.end();  // a thread that is abandoned keeps `shared` alive
  const bool abandoned = shared->threads_running > 0;
  for (std::jthread& thread : threads) abandoned ? thread.detach() : thread.join();
  const std::lock_guard lock(shared->mutex);
  Outcome outcome = shared->outcome;
  outcome.interrupted = signalled.has_value();
  outcome.abandoned = abandoned;
  return outcome;
}

}  // namespace lacp
