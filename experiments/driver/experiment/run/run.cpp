// `lacp run`: does what is missing of an experiment, and reports on standard error.
#include "experiment/run/run.hpp"

#include <chrono>
#include <set>

#include "common/message.hpp"
#include "common/threads.hpp"
#include "experiment/engine/plan.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// A published table is read when all is done: too late to hear that it is not there.
void check_reference(const fs::path& yaml, const Reference& reference) {
  for (const auto& [key, name] : {std::pair("file", reference.file), {"runs", reference.runs}}) {
    const fs::path table = yaml.parent_path() / name;
    if (std::error_code error; !name.empty() && !fs::is_regular_file(table, error))
      user_error("{}: key 'reference.{}': {}: no such file", yaml.string(), key, table.string());
  }
}

/// What this call is one share of; nothing if it does everything.
std::optional<Shard> find_shard(const RunOptions& options) {
  const auto shard = options.shard.empty() ? slurm_shard() : std::optional(parse_shard(options.shard));
  if (shard && options.shard.empty()) note("Slurm array task: --shard {}\n", to_text(*shard));
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
void remove_old_tables(const fs::path& folder, const fs::path& yaml, const Experiment& base) {
  try {
    if (changes(load_manifest(folder).experiment, base).empty()) return;
  } catch (const UserError&) {  // no manifest says what they were
    return;
  }
  std::error_code error;
  const auto published = yaml.parent_path() / base.reference.file;
  for (const char* name : {"table.csv", "table.tex", "comparison.csv", "comparison.tex"})
    if (!fs::equivalent(folder / name, published, error)) fs::remove(folder / name, error);
}

/// One call: what is asked for, what there is of it, what is to be done, and how that went.
class Run {
 public:
  explicit Run(const RunOptions& options)
      : options_(options), named_(named_experiment(options)), experiment_(select(base_, options.selection)) {
    check_reference(named_.source, base_.reference);
    const Catalog catalog = open_catalog(options.datasets_folder);
    shard_ = find_shard(options);
    found_ = survey(experiment_, catalog, named_.results,
                    tasks_of(experiment_, catalog, shard_.value_or(Shard{})));
    // The manifest says of every data set that it lists which data counts.
    add_datasets(found_, catalog, recorded_experiment(base_, experiment_, folder()).datasets);
    for (const auto& [name, dataset] : found_.datasets) protect_inputs(dataset.description);
    work_ = {.experiment = experiment_, .folder = folder(), .datasets = found_.datasets};
    work_.tasks = work_.planned(find_todo());
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
    return (shard_ || written([&] { finish(folder()); })) && good;
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
      if (check.failure && !options_.force && !options_.retry_failed) {
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
    record_ = {.source = named_.source, .start = utc_now()};
    if (shard_) record_.shard = to_text(*shard_);
    record_.jobs = work_.jobs;
    record_.done_before = done_before_;
    record_.failed = failed_before_.size();
    const FolderLock alone(folder());
    remove_old_tables(folder(), named_.source, base_);
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
    if (!left_out_.empty()) work_.report_left_out(left_out_);
    Failures failures = outcome_.failures;
    failures.insert(failed_before_.begin(), failed_before_.end());
    if (!failures.empty())
      tell("{} of {} failed:\n{}To try them again: --retry-failed\n", failures.size(), all_tasks(),
           failures_text(failures));
    return failures.empty() && (!options_.strict || left_out_.empty());
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const RunOptions& options_;
  NamedExperiment named_;
  const Experiment& base_ = named_.experiment;
  Experiment experiment_;  // as the options pick from it
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

NamedExperiment named_experiment(const TaskOptions& options) {
  const fs::path& named = options.experiment;
  std::error_code ignored;
  if (!fs::is_directory(named, ignored)) return {load_experiment(named, options.set), named, options.results};
  if (!options.set.empty())
    user_error("--set goes with an experiment yaml; {} is a folder of results", named.string());
  Manifest manifest = load_manifest(named);
  for (std::string* file : {&manifest.experiment.reference.file, &manifest.experiment.reference.runs})
    if (!file->empty()) *file = fs::path(*file).lexically_proximate(manifest.source.parent_path()).string();
  return {manifest.experiment, manifest.source, folder_above(named)};
}

int run_experiment(const RunOptions& options, const std::function<void(const fs::path&)>& finish) {
  Run run(options);
  if (!options.dry_run) return run.execute_all(finish) ? exit_done : exit_failed;
  run.show_plan();
  return exit_done;
}

}  // namespace lacp
