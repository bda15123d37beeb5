#include "work/run.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>
#include <thread>

#include "common/exit_code.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/datasets/fetch.hpp"
#include "store/fingerprint.hpp"
#include "store/manifest.hpp"
#include "store/records.hpp"
#include "store/survey.hpp"
#include "work/datasets_folder.hpp"
#include "work/executor.hpp"
#include "work/progress.hpp"
#include "work/shard.hpp"
#include "work/slurm.hpp"

namespace lacp {
namespace {

void fetch_from_mirror(const Experiment& experiment, const Catalog& catalog,
                       const std::filesystem::path& mirror) {
  for (const std::string& name : experiment.datasets) {
    const DatasetDescription description = catalog.find(name);
    if (at_hand(description)) continue;
    try {
      tell("{}\n", fetch_dataset(description, {.mirror = mirror}));
    } catch (const RunError& error) {
      tell("{}\n", error.what());  // the data set is left out and named at the end
    }
  }
}

/// What a call has to do.
struct Todo {
  std::vector<Task> tasks;
  std::vector<std::string> left_out;  ///< data sets that are needed and not at hand
  std::size_t done_before = 0;
};

Todo find_todo(const Experiment& experiment, const Survey& survey, bool force) {
  Todo todo;
  std::size_t changed = 0;
  std::set<std::string> left_out;
  for (const auto& [task, check] : survey.tasks) {
    if (check.state == CellState::done && !force) {
      todo.done_before += 1;
      continue;
    }
    if (!survey.datasets.at(task.dataset).at_hand) {
      left_out.insert(task.dataset);
      continue;
    }
    if (check.state == CellState::damaged) tell("{}; done again\n", check.message);
    if (check.state == CellState::changed) changed += 1;
    todo.tasks.push_back(task);
  }
  if (changed > 0) tell("{} tasks were done with other settings or data and are done again\n", changed);
  for (const std::string& name : experiment.datasets)
    if (left_out.contains(name)) todo.left_out.push_back(name);
  return todo;
}

void print_plan(const std::vector<PlannedTask>& tasks) {
  for (const auto& [task, cost] : tasks) fmt::print("{} {} {}\n", task.dataset, task.run, task.method);
}

/// What this call is one share of; nothing if it does everything.
std::optional<Shard> find_shard(const RunRequest& request) {
  const auto shard =
      request.shard.empty() ? slurm_shard(process_environment) : std::optional(parse_shard(request.shard));
  if (shard && request.shard.empty()) tell("this is a task of a Slurm array: --shard {}\n", to_text(*shard));
  return shard && shard->count > 1 ? shard : std::nullopt;
}

/// As a shell takes it for one word.
std::string shell_quoted(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-./,=:").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The command that does what failed again. A shard is one of the whole selection, so it is done as it was.
std::string command(const RunRequest& request, const std::optional<Shard>& shard, const Failures& failures) {
  std::set<std::string> datasets, methods;
  for (const auto& [task, reason] : failures) datasets.insert(task.dataset), methods.insert(task.method);
  const std::vector<std::string>& chosen = request.selection.datasets;
  if (shard) datasets = {chosen.begin(), chosen.end()};
  if (shard) methods = {request.selection.methods.begin(), request.selection.methods.end()};
  std::string text = "lacp run " + shell_quoted(request.experiment.string());
  const auto option = [&text](const char* name, const std::string& value) {
    text += fmt::format(" {} {}", name, shell_quoted(value));
  };
  if (shard) option("--shard", to_text(*shard));
  if (!datasets.empty()) option("--datasets", fmt::format("{}", fmt::join(datasets, ",")));
  if (!methods.empty()) option("--methods", fmt::format("{}", fmt::join(methods, ",")));
  if (request.selection.runs != 0) option("--runs", std::to_string(request.selection.runs));
  for (const std::string& item : request.set) option("--set", item);
  if (request.results != "results") option("--results", request.results.string());
  if (!request.datasets_folder.empty()) option("--datasets-folder", request.datasets_folder.string());
  return text;
}

void report_failures(const Work& work, const Failures& failures, std::size_t tasks,
                     const std::string& again) {
  constexpr std::size_t most_shown = 20;
  tell("{} of {} tasks failed:\n", failures.size(), tasks);
  std::size_t shown = 0;
  for (const auto& [task, reason] : failures)
    if (++shown <= most_shown) tell("  {} {} {}: {}\n", task.dataset, task.run, task.method, reason);
  if (shown > most_shown)
    tell("  ... and {} more, all in {}\n", shown - most_shown, (work.records / "failures.csv").string());
  tell("To try them again: {}\n", again);
}

void report_left_out(const Work& work, const std::vector<std::string>& names) {
  tell("left out, because their files are not at hand: {}\n", join(names, ", "));
  std::vector<std::string> to_fetch;
  for (const std::string& name : names) {
    const DatasetDescription& description = work.datasets.at(name);
    if (can_fetch(description))
      to_fetch.push_back(name);
    else
      tell("{}: {} is not there; {}\n", name, description.source->original.string(), how_to_get(description));
  }
  if (!to_fetch.empty()) tell("To get them: lacp datasets fetch {}\n", join(to_fetch, " "));
}

std::vector<Task> tasks_in(const Survey& survey) {
  std::vector<Task> tasks;
  for (const SurveyedTask& item : survey.tasks) tasks.push_back(item.task);
  return tasks;
}

/// Whether `write` works; says why if not. What a run leaves about itself must not keep it from telling how
/// it ended, say on a full disk.
template <class Write>
bool written(Write&& write) {
  try {
    write();
    return true;
  } catch (const RunError& error) {
    tell("{}\n", error.what());
    return false;
  }
}

std::size_t thread_count(const RunRequest& request, std::size_t tasks) {
  std::size_t wanted = request.jobs;
  if (wanted == 0) wanted = slurm_processors(process_environment).value_or(0);
  if (wanted == 0) wanted = std::thread::hardware_concurrency();
  return std::max<std::size_t>(1, std::min(wanted, tasks));
}

}  // namespace

int run_experiment(const RunRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const Experiment base = load_experiment(request.experiment, request.set);
  const Experiment experiment = select(base, request.selection);
  const Catalog catalog(datasets_folder(request.datasets_folder));
  if (!request.mirror.empty() && !request.dry_run) fetch_from_mirror(experiment, catalog, request.mirror);
  const std::optional<Shard> shard = find_shard(request);
  const Survey found =
      survey(experiment, catalog, request.results, tasks_of(experiment, catalog, shard.value_or(Shard{})));
  const std::string label = experiment.name + (shard ? " shard " + to_text(*shard) : "");
  const Todo todo = find_todo(experiment, found, request.force);

  Work work;
  work.experiment = experiment;
  work.folder = found.folder;
  work.records = shard ? shard_folder(found.folder, *shard) : found.folder;
  for (const auto& [name, dataset] : found.datasets) {
    work.datasets[name] = dataset.description;
    work.fingerprints[name] = dataset.fingerprint;
  }
  work.tasks = plan(experiment, todo.tasks,
                    [&](const std::string& name) { return expected_rows(work.datasets.at(name)); });
  work.jobs = thread_count(request, work.tasks.size());
  if (request.dry_run) {
    print_plan(work.tasks);
    fmt::print("{} tasks, {} done, {} to run\n", found.tasks.size(), todo.done_before, todo.tasks.size());
    return exit_done;
  }

  RunRecord record{
      .source = request.experiment, .start = utc_now(), .jobs = work.jobs, .done_before = todo.done_before};
  const auto keep_record = [&](const std::filesystem::path& folder) {
    write_manifest(folder, recorded_experiment(base, experiment, found.folder), found, record);
  };
  Outcome outcome;
  if (!work.tasks.empty()) {
    tell("{}: {} tasks, {} done, {} to run, with {} threads\n", label, found.tasks.size(), todo.done_before,
         todo.tasks.size(), work.jobs);
    remove_leftovers(found.folder);
    {
      const RecordsLock alone(work.records);
      change_failures(work.records, tasks_in(found), {});
      keep_record(work.records);
    }
    if (shard) {
      const RecordsLock alone(found.folder);
      if (!manifest_says(found.folder, recorded_experiment(base, experiment, found.folder)))
        keep_record(found.folder);
    }
    outcome = execute(work);
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  record.finished = !outcome.interrupted;
  record.done_now = outcome.seconds.size();
  record.failed = outcome.failures.size();
  const bool all_written = written([&] {
    const RecordsLock alone(work.records);
    add_times(work.records, outcome.seconds);
    if (!work.tasks.empty() ||
        !manifest_says(work.records, recorded_experiment(base, experiment, found.folder)))
      keep_record(work.records);
  });

  tell("{}: {} tasks, {} done before, {} done now in {}, {} failed; results in {}\n", label,
       found.tasks.size(), todo.done_before, record.done_now, duration_text(record.seconds), record.failed,
       found.folder.string());
  if (outcome.interrupted) {
    tell("interrupted; what was done is kept, and the same command goes on from here\n");
    std::fflush(nullptr);
    if (outcome.abandoned) std::_Exit(exit_failed);
    return exit_failed;
  }
  if (!todo.left_out.empty()) report_left_out(work, todo.left_out);
  if (!outcome.failures.empty())
    report_failures(work, outcome.failures, found.tasks.size(), command(request, shard, outcome.failures));
  const bool incomplete = request.strict && !todo.left_out.empty();
  return outcome.failures.empty() && all_written && !incomplete ? exit_done : exit_failed;
}

}  // namespace lacp
