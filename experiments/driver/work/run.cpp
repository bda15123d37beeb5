#include "work/run.hpp"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>

#include "common/command_line.hpp"
#include "common/exit_code.hpp"
#include "common/message.hpp"
#include "datasets/datasets_folder.hpp"
#include "datasets/fetch.hpp"
#include "datasets/table_file.hpp"
#include "engine/executor.hpp"
#include "engine/progress.hpp"
#include "engine/shard.hpp"
#include "engine/slurm.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "store/fingerprint.hpp"
#include "store/manifest.hpp"
#include "store/survey.hpp"
#include "work/run_report.hpp"

namespace lacp {
namespace {

void fetch_from_mirror(const Experiment& experiment, const Catalog& catalog,
                       const std::filesystem::path& mirror) {
  for (const std::string& name : experiment.datasets) {
    const DatasetDescription description = catalog.find(name);
    if (at_hand(description)) continue;
    try {
      note("{}\n", fetch_dataset(description, {.mirror = mirror}));
    } catch (const RunError& error) {
      tell("{}\n", error.what());  // the data set is left out and named at the end
    }
  }
}

void print_plan(const std::vector<PlannedTask>& tasks) {
  for (const auto& [task, cost] : tasks) show("{} {} {}\n", task.dataset, task.run, task.method);
}

/// What this call is one share of; nothing if it does everything.
std::optional<Shard> find_shard(const RunRequest& request) {
  const auto shard =
      request.shard.empty() ? slurm_shard(process_environment) : std::optional(parse_shard(request.shard));
  if (shard && request.shard.empty()) note("this is a task of a Slurm array: --shard {}\n", to_text(*shard));
  return shard && shard->count > 1 ? shard : std::nullopt;
}

/// What a call has to do.
struct Todo {
  std::vector<Task> tasks;
  std::vector<std::string> left_out;  ///< data sets that are needed and whose files are missing
  Failures failed;                    ///< failed before, and would again
  std::size_t done_before = 0;
};

/// Of what the survey found, by what the request says about doing things again. Tells of damaged and stale
/// cells.
Todo find_todo(const Experiment& experiment, const Survey& survey, const RunRequest& request) {
  Todo todo;
  std::size_t changed = 0;
  std::set<std::string> left_out;
  for (const auto& [task, check] : survey.tasks) {
    const bool again = request.force;
    const bool at_hand = survey.datasets.at(task.dataset).at_hand;
    const bool done = check.state == CellState::done;
    if (!at_hand && (again || !done)) left_out.insert(task.dataset);
    if (done && (!again || !at_hand)) {
      todo.done_before += 1;
    } else if (!at_hand) {
      continue;
    } else if (check.failure && !check.failure->settings.empty() && !again && !request.retry_failed) {
      todo.failed[task] = *check.failure;
    } else {
      if (check.state == CellState::damaged) tell("{}; done again\n", check.message);
      if (check.state == CellState::changed) changed += 1;
      todo.tasks.push_back(task);
    }
  }
  if (changed > 0) note("{} done with other settings or data: done again\n", counted(changed, "task"));
  for (const std::string& name : experiment.datasets)
    if (left_out.contains(name)) todo.left_out.push_back(name);
  return todo;
}

/// Whether `write` works; says why if not. What a run leaves about itself must not keep it from telling how
/// it ended, say on a full disk.
template <class Write>
bool written(Write&& write) {
  try {
    write();
    return true;
  } catch (const std::runtime_error& error) {
    tell("{}\n", error.what());
    return false;
  }
}

}  // namespace

std::string run_command(const RunRequest& request, const std::vector<std::string>& datasets,
                        const std::vector<std::string>& methods, const std::string& shard) {
  const Selection& selection = request.selection;
  CommandLine command("lacp run " + shell_quoted(request.experiment.string()));
  const auto option = [&command](const char* name, const std::string& value) {
    if (!value.empty()) command.option(name, value);
  };
  option("--shard", shard);
  option("--datasets", join(datasets.empty() ? selection.datasets : datasets, ","));
  option("--methods", join(methods.empty() ? selection.methods : methods, ","));
  option("--runs", selection.runs == 0 ? "" : std::to_string(selection.runs));
  for (const std::string& item : request.set) option("--set", item);
  option("--name", selection.name);
  option("--results", request.results == "results" ? "" : request.results.string());
  option("--datasets-folder", request.datasets_folder.string());
  return command.text;
}

namespace {

/// Does the tasks and reports; `finished` is the folder if this was neither a shard nor interrupted.
int run_tasks(const RunRequest& request, std::filesystem::path& finished) {
  const auto start = std::chrono::steady_clock::now();
  const Experiment base = load_experiment(request.experiment, request.set);
  const Experiment experiment = select(base, request.selection);
  const std::filesystem::path folder = request.results / experiment.name;
  const auto check_folder = [&] {
    if (!request.force) check_owner(folder, request.experiment, base, experiment);
  };
  check_folder();
  const Catalog catalog = open_catalog(request.datasets_folder);
  if (!request.mirror.empty() && !request.dry_run) fetch_from_mirror(experiment, catalog, request.mirror);
  const std::optional<Shard> shard = find_shard(request);
  Survey found =
      survey(experiment, catalog, request.results, tasks_of(experiment, catalog, shard.value_or(Shard{})));
  // The manifest says of every data set that it lists which data counts.
  add_datasets(found, catalog, recorded_experiment(base, experiment, found.folder).datasets);
  const std::string label = experiment.name + (shard ? " shard " + to_text(*shard) : "");
  const Todo todo = find_todo(experiment, found, request);

  Work work;
  work.experiment = experiment;
  work.folder = found.folder;
  for (const auto& [name, dataset] : found.datasets) {
    protect_inputs(dataset.description);
    work.datasets[name] = dataset.description;
    work.fingerprints[name] = dataset.fingerprint;
  }
  work.tasks = plan(
      experiment, todo.tasks, [&](const std::string& name) { return expected_rows(work.datasets.at(name)); },
      found.seconds());
  work.jobs = thread_count(request.jobs, work.tasks.size());
  if (request.dry_run) {
    print_plan(work.tasks);
    show("{}, {} done, {} to run (data set, run, method)\n", counted(found.tasks.size(), "task"),
         todo.done_before, todo.tasks.size());
    return exit_done;
  }

  RunRecord record = new_record(request.experiment);
  if (shard) record.shard = to_text(*shard);
  record.jobs = work.jobs, record.done_before = todo.done_before, record.failed = todo.failed.size();
  const auto keep_record = [&] {  // a call that does nothing keeps the record that is there
    write_manifest(found.folder, recorded_experiment(base, experiment, found.folder), found, record,
                   work.tasks.empty());
  };
  {
    const FolderLock alone(found.folder);
    check_folder();  // another run may have begun here meanwhile
    keep_record();
    if (!work.tasks.empty()) work.log = std::make_shared<CellLog>(found.folder, record.start);
  }
  Outcome outcome;
  if (!work.tasks.empty()) {
    note("{}: {}, {} done, {} to run, with {}\n", label, counted(found.tasks.size(), "task"),
         todo.done_before, todo.tasks.size(), counted(work.jobs, "thread"));
    remove_leftovers(found.folder);
    outcome = execute(work);
    if (!outcome.abandoned) work.log.reset();
  }
  for (const auto& [name, cells] : outcome.filled) found.datasets.at(name).filled = cells;
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  record.finished = !outcome.interrupted;
  record.done_now = outcome.done;
  record.failed += outcome.failures.size();
  const bool all_written = written([&] {
    {
      const FolderLock alone(found.folder);
      keep_record();
    }
    // Shards leave that to `lacp gather`: together they would write the same files again and again.
    if (!shard && !outcome.interrupted && !worker_folders(found.folder).empty()) merge_results(found.folder);
  });

  note("{}: {}, {} done before, {} done now in {}, {} failed; results in {}\n", label,
       counted(found.tasks.size(), "task"), todo.done_before, record.done_now, duration_text(record.seconds),
       record.failed, found.folder.string());
  if (!work.tasks.empty() && !outcome.interrupted)
    note("idle: {:.0f} % of the time of {}\n", 100.0 * outcome.idle, counted(work.jobs, "thread"));
  if (outcome.interrupted) {
    tell("interrupted; what was done is kept, and the same command goes on from here\n");
    std::fflush(nullptr);
    if (outcome.abandoned) std::_Exit(exit_failed);
    return exit_failed;
  }
  if (!todo.left_out.empty()) report_left_out(work, todo.left_out);
  outcome.failures.insert(todo.failed.begin(), todo.failed.end());
  if (!outcome.failures.empty())
    report_failures(outcome.failures, found.tasks.size(), retry_command(request, shard, outcome.failures));
  const bool incomplete = request.strict && !todo.left_out.empty();
  if (!shard) finished = found.folder;
  return outcome.failures.empty() && all_written && !incomplete ? exit_done : exit_failed;
}

}  // namespace

int run_experiment(const RunRequest& request) {
  std::filesystem::path finished;
  const int exit_code = run_tasks(request, finished);
  if (finished.empty() || !request.finished) return exit_code;
  return written([&] { request.finished(finished); }) ? exit_code : exit_failed;
}

}  // namespace lacp
