// `lacp verify`: computes cells of a folder again, by the settings in its manifest, and compares the bytes,
// kept intervals included; writes nothing there. Cells whose data set is missing are left out.
#include <chrono>
#include <mutex>
#include <set>

#include "commands/commands.hpp"
#include "common/frame.hpp"
#include "engine/executor.hpp"
#include "store/manifest.hpp"

namespace lacp {
namespace {

struct VerifyOptions {
  fs::path folder, datasets_folder;
  std::size_t sample = 0, jobs = 0;
  std::uint64_t seed = 1;
};

/// Why a cell cannot be compared, after "was made"; "" if it can. A damaged one can: it differs.
std::string foreign_reason(const Manifest& manifest, const Cells& cells, const Task& task,
                           const std::string& fingerprint) {
  const std::optional<Cell> cell =
      cells.newest(task, settings_hash(manifest.experiment, task, fingerprint)).value().cell;
  if (!cell) return "";
  if (cell->settings == settings_hash(manifest.experiment, task, cell->data))
    return cell->data == fingerprint ? "" : "from other data than the data set has now";
  return "with other settings than manifest.yaml has, or by another version of the program";
}

/// What was found out about the cells that were computed again. Used from several threads.
struct Findings {
  std::mutex mutex;
  std::size_t agreed = 0;
  std::map<Task, std::string> differ;  ///< the file, and what is in it and here

  void add(const std::string& source, const Task& task, const std::string& difference) {
    differ[task] = fmt::format("{}: {} {} {}: {}", source, task.dataset, task.run, task.method, difference);
  }
};

/// Of a cell that is kept in part: the first number that is another here; else the checksum, which is of all.
std::string difference_in_part(const Cell& there, const Cell& here) {
  for (const Measurement& m : there.values)
    if (const auto value = here.value(m.metric, m.alpha); value != m.value)
      return fmt::format("{}{}: {} in the folder, {} here", m.metric,
                         m.alpha.empty() ? "" : " at α = " + m.alpha, m.value,
                         value ? fmt::format("{}", *value) : "none");
  const std::string checksum = checksum_of(here);
  if (there.checksum == checksum) return "";
  return fmt::format("checksum of the cell: {} in the folder, {} here", there.checksum, checksum);
}

void compare(const Cells& cells, const Work& work, const TaskResult& result, Findings& findings) {
  const Task& task = result.cell.task;
  const Cell here = stored_cell(work.experiment, work.datasets.at(task.dataset).fingerprint, result);
  const FoundCell found = cells.newest(task, here.settings).value();
  std::string source = found.source, difference;
  const std::optional<Cell> there = found.cell ? found.cell : parse_damaged_rows(task, found.rows);
  if (there)
    difference =
        found.in_part ? difference_in_part(*there, here) : first_difference(to_text(*there), to_text(here));
  if (difference.empty()) difference = found.problem;
  if (difference.empty() && !found.in_part && !result.intervals.empty()) {
    source = intervals_path(cells.folder(), task.dataset).string();
    const std::string kept = kept_intervals(cells.folder(), task);
    difference = kept.empty() ? "is not there" : first_difference(kept, result.intervals);
  }
  const std::lock_guard lock(findings.mutex);
  if (difference.empty())
    findings.agreed += 1;
  else
    findings.add(source, task, difference);
}

/// Tells of the cells that cannot be compared, and takes them out of `drawn`. True if there are none.
bool remove_foreign(const Manifest& manifest, const Cells& cells, const Survey& found,
                    std::vector<Task>& drawn) {
  std::map<std::string, std::vector<Task>> foreign;  // by the reason
  std::erase_if(drawn, [&](const Task& task) {
    const std::string reason =
        foreign_reason(manifest, cells, task, found.datasets.at(task.dataset).fingerprint);
    if (!reason.empty()) foreign[reason].push_back(task);
    return !reason.empty();
  });
  for (const auto& [reason, tasks] : foreign)
    tell("{}: not compared: {} ({} {} {}{}) {} made {}; to run them again: {}\n", cells.folder().string(),
         counted(tasks.size(), "cell"), tasks[0].dataset, tasks[0].run, tasks[0].method,
         tasks.size() > 1 ? ", ..." : "", tasks.size() > 1 ? "were" : "was", reason,
         rerun_command(cells.folder(), manifest));
  return foreign.empty();
}

/// Takes out those whose data set is missing, and tells. Returns how many there are.
std::size_t remove_left_out(const Work& work, const Survey& found, std::vector<Task>& tasks) {
  std::set<std::string> names;
  const std::size_t left_out = std::erase_if(tasks, [&](const Task& task) {
    const bool missing = !found.datasets.at(task.dataset).at_hand;
    if (missing) names.insert(task.dataset);
    return missing;
  });
  if (left_out > 0) work.report_left_out({names.begin(), names.end()});
  return left_out;
}

int verify_results(const VerifyOptions& options) {
  const Manifest manifest = load_manifest(options.folder);
  const Cells cells(options.folder);
  const Survey found = survey(manifest.experiment, open_catalog(options.datasets_folder),
                              folder_above(options.folder), grid(manifest.experiment));
  const std::map<Task, double> seconds = found.seconds();
  std::vector<Task> all;
  for (const auto& [task, check] : found.tasks)
    if (check.cell || check.state == CellState::damaged) all.push_back(task);
  if (all.empty())
    user_error("{}: has no cells to verify; expected a folder that `lacp run` filled",
               options.folder.string());
  Work work{.experiment = manifest.experiment, .folder = found.folder, .datasets = found.datasets};
  const std::size_t left_out = remove_left_out(work, found, all);
  std::vector<Task> drawn = options.sample == 0 ? all : draw(all, options.sample, options.seed);
  bool comparable = remove_foreign(manifest, cells, found, drawn);
  work.tasks = work.planned(drawn, seconds);
  work.jobs = thread_count(options.jobs, work.tasks.size());
  Findings findings;
  work.take = [&](const TaskResult& result) { compare(cells, work, result, findings); };
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = drawn.empty() ? Outcome{} : execute(work);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  for (const auto& [task, failure] : outcome.failures)
    if (failure.settings.empty())
      comparable = false;  // its data could not be read, which was said
    else
      findings.add(cells.newest(task).value().source, task,
                   "is in the folder, and fails here: " + failure.reason);
  for (const auto& [task, text] : findings.differ) show("{}\n", text);
  show("{}: {} of {} agree byte for byte", options.folder.string(), findings.agreed,
       counted(findings.agreed + findings.differ.size(), "cell"));
  if (options.sample != 0) show(", drawn from {} with seed {}", all.size(), options.seed);
  if (left_out > 0) show("; {} left out, since their data sets are missing", left_out);
  if (!drawn.empty()) show("; this took {} with {}", duration_text(took), counted(work.jobs, "thread"));
  if (drawn.size() < all.size() && !seconds.empty())  // what a sample took is mostly reading data
    show("; all {} took {} of one thread where they were made", all.size(),
         duration_text(total_cost(work.planned(all, seconds))));
  show("\n");
  if (!findings.differ.empty()) return exit_failed;
  return comparable && !drawn.empty() ? exit_done : exit_wrong_input;
}

}  // namespace

void add_verify(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "verify", "Compute cells of a folder again and compare the bytes; writes nothing",
                  verify_results);
  add(command, "folder", o.folder, "FOLDER", "results/<experiment>")->required();
  add(command, "--sample", o.sample, "N", "this many cells, drawn at random (default: all)")
      ->check(CLI::Range(1, 100000000));
  add(command, "--seed", o.seed, "N",
      "of the drawing: the same seed draws the same cells from the same data sets")
      ->capture_default_str();
  add_jobs(command, o.jobs);
  add_datasets_folder(command, o.datasets_folder);
  command.footer(
      "Exit codes: 0 all agree, 1 some differ, 2 no such folder, or cells made by another version, with other settings or from other data.");
}

}  // namespace lacp
