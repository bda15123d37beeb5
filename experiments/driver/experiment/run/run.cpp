// `lacp run`: does what is missing of an experiment, and reports on standard error.
#include "experiment/run/run.hpp"

#include <chrono>
#include <set>

#include "common/message.hpp"
#include "common/threads.hpp"
#include "experiment/engine/executor.hpp"
#include "experiment/engine/units.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

void fetch_from_mirror(const Experiment& experiment, const Catalog& catalog, const fs::path& mirror) {
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
void check_reference(const fs::path& yaml, const Reference& reference) {
  for (const auto& [key, name] : {std::pair("file", reference.file), {"beside", reference.beside}}) {
    const fs::path table = yaml.parent_path() / name;
    if (std::error_code error; !name.empty() && !fs::is_regular_file(table, error))
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
void remove_old_tables(const fs::path& folder, const RunOptions& options, const Experiment& base) {
  try {
    if (changes(load_manifest(folder).experiment, base).empty()) return;
  } catch (const UserError&) {  // no manifest says what they were
    return;
  }
  std::error_code error;
  const auto published = options.experiment.parent_path() / base.reference.file;
  for (const char* name :
       {"table.csv", "table.tex", "table_standalone.tex", "comparison.csv", "comparison.tex", "verdicts.csv"})
    if (!fs::equivalent(folder / name, published, error)) fs::remove(folder / name, error);
}

/// The command that does what failed again. A shard is one of the whole selection, so it is done as it was.
std::string retry_command(const RunOptions& options, const std::optional<Shard>& shard,
                          const Failures& failures) {
  if (shard) return run_command(options, {}, {}, to_text(*shard)) + " --retry-failed";
  std::set<std::string> datasets, methods;
  for (const auto& [task, failure] : failures) {
    datasets.insert(task.dataset);
    methods.insert(task.method);
  }
  return run_command(options, {datasets.begin(), datasets.end()}, {methods.begin(), methods.end()}) +
         " --retry-failed";
}

/// One call: what is asked for, what there is of it, what is to be done, and how that went.
class Run {
 public:
  explicit Run(const RunOptions& options)
      : options_(options),
        base_(load_experiment(options.experiment, options.set)),
        experiment_(select(base_, options.selection)) {
    check_reference(options.experiment, base_.reference);
    const Catalog catalog = open_catalog(options.datasets_folder);
    if (!options.mirror.empty() && !options.dry_run) fetch_from_mirror(experiment_, catalog, options.mirror);
    shard_ = find_shard(options);
    found_ = survey(experiment_, catalog, options.results,
                    tasks_of(experiment_, catalog, shard_.value_or(Shard{})));
    // The manifest says of every data set that it lists which data counts.
    add_datasets(found_, catalog, recorded_experiment(base_, experiment_, folder()).datasets);
    for (const auto& [name, dataset] : found_.datasets) protect_inputs(dataset.description);
    work_ = {.experiment = experiment_, .folder = folder(), .datasets = found_.datasets};
    work_.tasks = work_.planned(find_todo(), found_.seconds());
    work_.jobs = thread_count(options.jobs, work_.tasks.size());
  }

  void show_plan() const {
    for (const auto& [task, cost] : work_.tasks) show("{} {} {}\n", task.dataset, task.run, task.method);
    show("{}, {} done, {} to run (data set, run, method)\n", all_tasks(), done_before_, work_.tasks.size());
  }

  /// False if something failed, or could not be written, which is told.
  bool execute_all(const std::function<void(const fs::path&)>& finish) {
    begin_record();
    if (!work_.tasks.empty()) {
      note("{}: {}, {} done, {} to run, with {}\n", label(), all_tasks(), done_before_, work_.tasks.size(),
           counted(work_.jobs, "thread"));
      outcome_ = execute(work_);
    }
    record_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    bool good = finish_record();
    good = tell_outcome() && good;
    const auto make_outputs = [&] {
      update_units(folder(), open_catalog(options_.datasets_folder));
      finish(folder());
    };
    return (shard_ || written(make_outputs)) && good;
  }

 private:
  const fs::path& folder() const { return found_.folder; }
  std::string label() const { return experiment_.name + (shard_ ? " shard " + to_text(*shard_) : ""); }
  std::string all_tasks() const { return counted(found_.tasks.size(), "task"); }

  /// Of what the survey found, by what the options say of doing it again. Tells of damaged and stale cells.
  std::vector<Task> find_todo() {
    std::vector<Task> tasks;
    std::size_t changed = 0;
    std::set<std::string> left_out;
    for (const auto& [task, check] : found_.tasks) {
      const bool at_hand = found_.datasets.at(task.dataset).at_hand, done = check.state == CellState::done;
      if (done && (!options_.force || !at_hand)) done_before_ += 1;
      if (!at_hand && (options_.force || !done)) left_out.insert(task.dataset);
      if (!at_hand || (done && !options_.force)) continue;
      if (check.failure && !check.failure->settings.empty() && !options_.force && !options_.retry_failed) {
        failed_before_[task] = *check.failure;
        continue;
      }
      if (check.state == CellState::damaged) tell("{}; done again\n", check.message);
      if (check.state == CellState::changed) changed += 1;
      tasks.push_back(task);
    }
    if (changed > 0) note("{} done with other settings or data: done again\n", counted(changed, "task"));
    for (const std::string& name : experiment_.datasets)
      if (left_out.contains(name)) left_out_.push_back(name);
    return tasks;
  }

  /// A call that does nothing keeps the record that is there. The caller holds the lock.
  void keep_record() const {
    write_manifest(folder(), recorded_experiment(base_, experiment_, folder()), found_, record_,
                   work_.tasks.empty());
  }

  /// The manifest says what is under way, and cells can be written.
  void begin_record() {
    record_ = {.source = options_.experiment, .start = utc_text(std::chrono::system_clock::now())};
    if (shard_) record_.shard = to_text(*shard_);
    record_.jobs = work_.jobs;
    record_.done_before = done_before_;
    record_.failed = failed_before_.size();
    if (!work_.tasks.empty())
      if (const std::string problem = untraceable(folder(), program_commit); !problem.empty())
        tell("{}\n", problem);
    const FolderLock alone(folder());
    remove_old_tables(folder(), options_, base_);
    keep_record();
    if (!work_.tasks.empty()) check_writable(cells_path(folder(), work_.tasks.front().task.dataset));
  }

  /// The record of the end, and cells that are merged. False if they could not be written, which is told.
  bool finish_record() {
    for (const auto& [name, cells] : outcome_.filled) found_.datasets.at(name).filled = cells;
    record_.finished = true;
    record_.done_now = outcome_.done;
    record_.failed += outcome_.failures.size();
    return written([&] {
      {
        const FolderLock alone(folder());
        keep_record();
      }
      // Shards leave that to `lacp gather`: together they would write the same files again and again.
      if (!shard_ && !task_files(folder()).empty()) merge_cells(folder());
    });
  }

  /// Says how it ended. True if nothing failed.
  bool tell_outcome() const {
    note("{}: {}, {} done before, {} done now in {}, {} failed; results in {}\n", label(), all_tasks(),
         done_before_, record_.done_now, duration_text(record_.seconds), record_.failed, folder().string());
    if (!work_.tasks.empty())
      note("idle: {:.0f} % of the time of {}\n", 100.0 * outcome_.idle, counted(work_.jobs, "thread"));
    if (!left_out_.empty()) work_.report_left_out(left_out_);
    Failures failures = outcome_.failures;
    failures.insert(failed_before_.begin(), failed_before_.end());
    if (!failures.empty())
      tell("{} of {} failed:\n{}To try them again: {}\n", failures.size(), all_tasks(),
           failures_text(failures), retry_command(options_, shard_, failures));
    return failures.empty() && (!options_.strict || left_out_.empty());
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const RunOptions& options_;
  Experiment base_, experiment_;  // as the yaml says, and as the options pick from it
  std::optional<Shard> shard_;
  Survey found_;
  std::vector<std::string> left_out_;  // data sets that are needed and whose files are missing
  Failures failed_before_;             // and would again
  std::size_t done_before_ = 0;
  Work work_;
  RunRecord record_;
  Outcome outcome_;
};

}  // namespace

std::string run_command(const TaskOptions& options, const std::vector<std::string>& datasets,
                        const std::vector<std::string>& methods, const std::string& shard) {
  const Selection& selection = options.selection;
  CommandLine command("lacp run " + shell_quoted(options.experiment.string()));
  const auto option = [&command](const char* name, const std::string& value) {
    if (!value.empty()) command.option(name, value);
  };
  option("--shard", shard);
  option("--datasets", join(datasets.empty() ? selection.datasets : datasets, ","));
  option("--methods", join(methods.empty() ? selection.methods : methods, ","));
  option("--runs", selection.runs == 0 ? "" : std::to_string(selection.runs));
  for (const std::string& item : options.set) option("--set", item);
  option("--name", selection.name);
  option("--results", options.results == "results" ? "" : options.results.string());
  option("--datasets-folder", options.datasets_folder.string());
  return command.text;
}

int run_experiment(const RunOptions& options, const std::function<void(const fs::path&)>& finish) {
  Run run(options);
  if (!options.dry_run) return run.execute_all(finish) ? exit_done : exit_failed;
  run.show_plan();
  return exit_done;
}

}  // namespace lacp
