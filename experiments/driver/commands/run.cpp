// `lacp run`: does what is missing of an experiment, and reports on standard error.
#include <chrono>
#include <optional>
#include <set>

#include "commands/commands.hpp"
#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "engine/executor.hpp"
#include "engine/plan.hpp"
#include "engine/run_task.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "store/manifest.hpp"
#include "store/store.hpp"

namespace lacp {
namespace {

struct RunOptions : TaskOptions {
  std::filesystem::path mirror;
  std::size_t jobs = 0;
  std::string shard;
  bool force = false, retry_failed = false, dry_run = false, strict = false;
};

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

/// A published table is read when all is done: too late to hear that it is not there.
void check_reference(const std::filesystem::path& yaml, const Reference& reference) {
  for (const auto& [key, name] : {std::pair("file", reference.file), {"beside", reference.beside}}) {
    const std::filesystem::path table = yaml.parent_path() / name;
    if (std::error_code error; !name.empty() && !std::filesystem::is_regular_file(table, error))
      user_error(
          "{}: key 'reference.{}': found {}, and {} is no file; expected a csv of published numbers, or none (--set reference.{}=)",
          yaml.string(), key, show_text(name), table.string(), key);
  }
}

/// What this call is one share of; nothing if it does everything.
std::optional<Shard> find_shard(const RunOptions& options) {
  const auto shard = options.shard.empty() ? slurm_shard() : std::optional(parse_shard(options.shard));
  if (shard && options.shard.empty()) note("this is a task of a Slurm array: --shard {}\n", to_text(*shard));
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
Todo find_todo(const Experiment& experiment, const Survey& survey, const RunOptions& options) {
  Todo todo;
  std::size_t changed = 0;
  std::set<std::string> left_out;
  for (const auto& [task, check] : survey.tasks) {
    const bool again = options.force;
    const bool at_hand = survey.datasets.at(task.dataset).at_hand;
    const bool done = check.state == CellState::done;
    if (!at_hand && (again || !done)) left_out.insert(task.dataset);
    if (done && (!again || !at_hand)) {
      todo.done_before += 1;
    } else if (!at_hand) {
      continue;
    } else if (check.failure && !check.failure->settings.empty() && !again && !options.retry_failed) {
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

/// With other settings come other numbers: tables of those that were there would belong to no manifest.
void remove_old_tables(const std::filesystem::path& folder, const RunOptions& options,
                       const Experiment& base) {
  try {
    if (changes(load_manifest(folder).experiment, base).empty()) return;
  } catch (const UserError&) {  // no manifest says what they were
    return;
  }
  std::error_code error;
  const auto published = options.experiment.parent_path() / base.reference.file;
  for (const char* name :
       {"table.csv", "table.tex", "table_standalone.tex", "comparison.csv", "comparison.tex", "verdicts.csv"})
    if (!std::filesystem::equivalent(folder / name, published, error))
      std::filesystem::remove(folder / name, error);
}

/// The command that does what failed again. A shard is one of the whole selection, so it is done as it was.
std::string retry_command(const RunOptions& options, const std::optional<Shard>& shard,
                          const Failures& failures) {
  if (shard) return run_command(options, {}, {}, to_text(*shard)) + " --retry-failed";
  std::set<std::string> datasets, methods;
  for (const auto& [task, failure] : failures) datasets.insert(task.dataset), methods.insert(task.method);
  return run_command(options, {datasets.begin(), datasets.end()}, {methods.begin(), methods.end()}) +
         " --retry-failed";
}

/// What is asked for, and what there is of it.
struct Request {
  const RunOptions& options;
  Experiment base, experiment;  ///< as the yaml says, and as the options pick from it
  std::optional<Shard> shard;
  Survey found;

  std::string label() const { return experiment.name + (shard ? " shard " + to_text(*shard) : ""); }
  const std::filesystem::path& folder() const { return found.folder; }
};

Request read_request(const RunOptions& options) {
  const Experiment base = load_experiment(options.experiment, options.set);
  const Experiment experiment = select(base, options.selection);
  const std::filesystem::path folder = options.results / experiment.name;
  check_reference(options.experiment, base.reference);
  const Catalog catalog = open_catalog(options.datasets_folder);
  if (!options.mirror.empty() && !options.dry_run) fetch_from_mirror(experiment, catalog, options.mirror);
  const std::optional<Shard> shard = find_shard(options);
  Survey found =
      survey(experiment, catalog, options.results, tasks_of(experiment, catalog, shard.value_or(Shard{})));
  // The manifest says of every data set that it lists which data counts.
  add_datasets(found, catalog, recorded_experiment(base, experiment, folder).datasets);
  for (const auto& [name, dataset] : found.datasets) protect_inputs(dataset.description);
  return {options, base, experiment, shard, std::move(found)};
}

Work plan_work(const Request& request, const Todo& todo) {
  Work work{.experiment = request.experiment, .folder = request.folder(), .datasets = request.found.datasets};
  work.tasks = work.planned(todo.tasks, request.found.seconds());
  work.jobs = thread_count(request.options.jobs, work.tasks.size());
  return work;
}

int show_plan(const Request& request, const Todo& todo, const Work& work) {
  for (const auto& [task, cost] : work.tasks) show("{} {} {}\n", task.dataset, task.run, task.method);
  show("{}, {} done, {} to run (data set, run, method)\n", counted(request.found.tasks.size(), "task"),
       todo.done_before, todo.tasks.size());
  return exit_done;
}

/// A call that does nothing keeps the record that is there. The caller holds the lock.
void keep_record(const Request& request, const RunRecord& record, const Work& work) {
  write_manifest(request.folder(), recorded_experiment(request.base, request.experiment, request.folder()),
                 request.found, record, work.tasks.empty());
}

/// Takes the folder: its manifest says what is under way, and a log of cells is open.
RunRecord begin_record(const Request& request, const Todo& todo, Work& work) {
  RunRecord record{.source = request.options.experiment, .start = utc_text(std::chrono::system_clock::now())};
  if (request.shard) record.shard = to_text(*request.shard);
  record.jobs = work.jobs, record.done_before = todo.done_before, record.failed = todo.failed.size();
  if (!work.tasks.empty())
    if (const std::string problem = untraceable(request.folder(), program_commit); !problem.empty())
      tell("{}\n", problem);
  const FolderLock alone(request.folder());
  remove_old_tables(request.folder(), request.options, request.base);
  keep_record(request, record, work);
  if (!work.tasks.empty()) work.log = std::make_shared<CellLog>(request.folder(), record.start);
  return record;
}

Outcome do_work(const Request& request, const Todo& todo, Work& work) {
  if (work.tasks.empty()) return {};
  note("{}: {}, {} done, {} to run, with {}\n", request.label(), counted(request.found.tasks.size(), "task"),
       todo.done_before, todo.tasks.size(), counted(work.jobs, "thread"));
  remove_leftovers(request.folder());
  Outcome outcome = execute(work);
  work.log.reset();
  return outcome;
}

/// The record of the end, and cells that are merged. False if they could not be written, which is told.
bool finish_record(Request& request, RunRecord& record, const Outcome& outcome, const Work& work) {
  for (const auto& [name, cells] : outcome.filled) request.found.datasets.at(name).filled = cells;
  record.finished = true;
  record.done_now = outcome.done;
  record.failed += outcome.failures.size();
  return written([&] {
    {
      const FolderLock alone(request.folder());
      keep_record(request, record, work);
    }
    // Shards leave that to `lacp gather`: together they would write the same files again and again.
    if (!request.shard && !worker_folders(request.folder()).empty()) merge_cells(request.folder());
  });
}

/// Says how it ended. True if nothing failed.
bool tell_outcome(const Request& request, const Todo& todo, const RunRecord& record, const Work& work,
                  const Outcome& outcome) {
  const std::string tasks = counted(request.found.tasks.size(), "task");
  note("{}: {}, {} done before, {} done now in {}, {} failed; results in {}\n", request.label(), tasks,
       todo.done_before, record.done_now, duration_text(record.seconds), record.failed,
       request.folder().string());
  if (!work.tasks.empty())
    note("idle: {:.0f} % of the time of {}\n", 100.0 * outcome.idle, counted(work.jobs, "thread"));
  if (!todo.left_out.empty()) work.report_left_out(todo.left_out);
  Failures failures = outcome.failures;
  failures.insert(todo.failed.begin(), todo.failed.end());
  if (!failures.empty())
    tell("{} of {} failed:\n{}To try them again: {}\n", failures.size(), tasks, failures_text(failures),
         retry_command(request.options, request.shard, failures));
  return failures.empty() && (!request.options.strict || todo.left_out.empty());
}

/// Writes units.csv of an experiment with predictor.cross_fit, whose sizes are in other units than those of
/// the same rows without it. Data sets whose file is not there keep the rows that they have.
void update_units(const std::filesystem::path& folder, const std::filesystem::path& datasets) {
  const Experiment experiment = load_manifest(folder).experiment;
  if (experiment.predictor.cross_fit == 0) return;
  const Catalog catalog = open_catalog(datasets);
  Units units = read_units(folder);
  for (const std::string& name : experiment.datasets) try {
      const DatasetDescription description = catalog.find(name);
      DataSource source(experiment.seed);
      source.add(description, experiment.runs, data_fingerprint(description));
      for (std::size_t run = 0; run < experiment.runs; ++run)
        units[{name, run}] = target_unit(experiment, *source.get(name, run), run);
    } catch (const std::exception& error) {
      note("{}: {}; its rows in units.csv stay as they are\n", name, error.what());
    }
  write_units(folder, units);
}

int run_experiment(const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Request request = read_request(options);
  const Todo todo = find_todo(request.experiment, request.found, options);
  Work work = plan_work(request, todo);
  if (options.dry_run) return show_plan(request, todo, work);
  RunRecord record = begin_record(request, todo, work);
  const Outcome outcome = do_work(request, todo, work);
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  bool good = finish_record(request, record, outcome, work);
  good = tell_outcome(request, todo, record, work, outcome) && good;
  if (!request.shard)
    good = written([&] {
             update_units(request.folder(), options.datasets_folder);
             finish_run(request.folder());
           }) &&
           good;
  return good ? exit_done : exit_failed;
}

}  // namespace

void add_run(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "run", "Run the missing tasks of an experiment", run_experiment);
  add_task_options(command, o);
  add_jobs(command, o.jobs);
  add(command, "--shard", o.shard, "I/N",
      "i/N: only the i-th of N shares (default: that of the Slurm array task, or everything)");
  add(command, "--mirror", o.mirror, "FOLDER", "folder in which files of data sets are looked for");
  command.add_flag("--force", o.force, "do again what is done");
  command.add_flag("--retry-failed", o.retry_failed, "try again what failed with the same settings");
  command.add_flag("--dry-run", o.dry_run, "print the tasks and do nothing");
  command.add_flag("--strict", o.strict, "a data set whose file is missing is a failure");
  add_quiet(command);
}

}  // namespace lacp
