#include "work/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>

#include "common/exit_code.hpp"
#include "common/message.hpp"
#include "datasets/datasets_folder.hpp"
#include "engine/executor.hpp"
#include "engine/progress.hpp"
#include "engine/slurm.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/random.hpp"
#include "lacp/base/text.hpp"
#include "settings/grid.hpp"
#include "store/fingerprint.hpp"
#include "store/manifest.hpp"
#include "work/run_report.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> csv_lines(std::string_view text, bool comments) {
  std::vector<std::string> lines = split_text(text, '\n');
  std::erase_if(lines, [&](const std::string& line) { return !comments && line.starts_with('#'); });
  return lines;
}

/// The tasks that have a cell, and how long they took, as far as that is known.
std::vector<Task> tasks_with_cells(const Experiment& experiment, const Cells& cells,
                                   std::map<Task, double>& seconds) {
  std::vector<Task> tasks = grid(experiment);
  std::erase_if(tasks, [&](const Task& task) {
    const std::optional<FoundCell> found = cells.newest(task);
    if (found && found->cell && found->cell->seconds) seconds[task] = *found->cell->seconds;
    return !found;
  });
  return tasks;
}

/// Which versions made a cell that this program would make with another hash; nothing if none did.
std::optional<Versions> made_by(const Experiment& experiment, const Cell& cell) {
  constexpr int newer = 5;
  const Versions here = versions_of(cell.task.method);
  for (int algorithm = here.algorithm + newer; algorithm > 0; --algorithm)
    for (int method = here.method + newer; method >= 0; --method)
      if (settings_hash(experiment, cell.task, cell.data, {algorithm, method}) == cell.settings)
        return Versions{algorithm, method};
  return std::nullopt;
}

/// Why a cell cannot be compared with what this program makes, after "was made"; "" if it can. A damaged one
/// can: it differs.
std::string foreign_reason(const Manifest& manifest, const Cells& cells, const Task& task,
                           const std::string& fingerprint) {
  const std::optional<Cell> cell = cells.newest(task).value().cell;
  if (!cell) return "";
  if (cell->settings == settings_hash(manifest.experiment, task, cell->data))
    return cell->data == fingerprint ? "" : "from other data than the data set has now";
  const Versions here = versions_of(task.method);
  const auto by = made_by(manifest.experiment, *cell);
  if (by && by->algorithm != here.algorithm)
    return fmt::format("by algorithm {} (commit {}), and this program has algorithm {}", by->algorithm,
                       cell->commit.empty() ? join(manifest.commits(), ", ") : cell->commit, here.algorithm);
  if (by)
    return fmt::format("by version {} of {}, and this program has version {}", by->method, task.method,
                       here.method);
  return "with other settings than manifest.yaml has";
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

void compare(const Cells& cells, const Work& work, const TaskResult& result, Findings& findings) {
  const Task& task = result.cell.task;
  const FoundCell found = cells.newest(task).value();
  std::string source = found.source, difference;
  const std::optional<Cell> there = found.cell ? found.cell : parse_damaged_rows(task, found.rows);
  if (there)
    difference = first_difference(
        to_text(*there), to_text(stored_cell(work.experiment, work.fingerprints.at(task.dataset), result)));
  if (difference.empty()) difference = found.problem;
  if (difference.empty() && !result.intervals.empty()) {
    const fs::path intervals = intervals_path(cells.folder(), task);
    source = intervals.string();
    std::error_code error;
    difference = fs::exists(intervals, error) ? first_difference(read_file(intervals), result.intervals)
                                              : "is not there";
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
    tell("{}: not compared: {} ({} {} {}{}) {} made {}; to do them again: {}\n", cells.folder().string(),
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
  if (left_out > 0) report_left_out(work, {names.begin(), names.end()});
  return left_out;
}

}  // namespace

std::vector<Task> draw(const std::vector<Task>& tasks, std::size_t sample, std::uint64_t seed) {
  Stream stream(StreamName{seed, "", 0, "", "verify"});
  std::vector<std::size_t> order = stream.permutation(tasks.size());
  order.resize(std::min(sample, order.size()));
  std::ranges::sort(order);
  std::vector<Task> drawn;
  for (const std::size_t i : order) drawn.push_back(tasks[i]);
  return drawn;
}

std::string first_difference(std::string_view there, std::string_view here) {
  for (const bool comments : {false, true}) {
    std::vector<std::string> a = csv_lines(there, comments), b = csv_lines(here, comments);
    const std::size_t lines = std::max(a.size(), b.size());
    a.resize(lines), b.resize(lines);
    const std::size_t line = std::ranges::mismatch(a, b).in1 - a.begin();
    if (line == lines) continue;
    const std::vector<std::string> header = split_text(b[0], ','), found = split_text(a[line], ','),
                                   made = split_text(b[line], ',');
    const std::size_t column = std::ranges::mismatch(found, made).in1 - found.begin();
    if (comments || found.size() != made.size() || made.size() != header.size() || column == 0)
      return fmt::format("the line '{}' in the folder, '{}' here", a[line], b[line]);
    const std::vector<std::string> before(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(column));
    return fmt::format("{} of {}: {} in the folder, {} here", header[column], join(before, ","),
                       found[column], made[column]);
  }
  return "";
}

int verify_results(const VerifyRequest& request) {
  const Manifest manifest = load_manifest(request.folder);
  const Cells cells(request.folder);
  std::map<Task, double> seconds;
  std::vector<Task> all = tasks_with_cells(manifest.experiment, cells, seconds);
  if (all.empty())
    user_error("{}: has no cells to verify; expected a folder that `lacp run` filled",
               request.folder.string());
  const fs::path results = folder_above(request.folder);
  const Survey found = survey(manifest.experiment, open_catalog(request.datasets_folder), results, {});

  Work work;
  work.experiment = manifest.experiment;
  for (const auto& [name, dataset] : found.datasets) {
    work.datasets[name] = dataset.description;
    work.fingerprints[name] = dataset.fingerprint;
  }
  const std::size_t left_out = remove_left_out(work, found, all);
  std::vector<Task> drawn = request.sample == 0 ? all : draw(all, request.sample, request.seed);
  bool comparable = remove_foreign(manifest, cells, found, drawn);
  const auto planned = [&](const std::vector<Task>& tasks) {
    return plan(
        work.experiment, tasks,
        [&](const std::string& name) { return expected_rows(work.datasets.at(name)); }, seconds);
  };
  work.tasks = planned(drawn);
  work.jobs = thread_count(request.jobs, work.tasks.size());
  Findings findings;
  work.take = [&](const TaskResult& result) { compare(cells, work, result, findings); };
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = drawn.empty() ? Outcome{} : execute(work);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const std::lock_guard lock(findings.mutex);  // threads may still be busy after an interruption
  for (const auto& [task, failure] : outcome.failures) {
    if (failure.settings.empty())
      comparable = false;  // its data could not be read, which was said
    else
      findings.add(cells.newest(task).value().source, task,
                   "is in the folder, and fails here: " + failure.reason);
  }
  for (const auto& [task, text] : findings.differ) fmt::print("{}\n", text);
  fmt::print("{}: {} of {} agree byte for byte", request.folder.string(), findings.agreed,
             counted(findings.agreed + findings.differ.size(), "cell"));
  if (request.sample != 0) fmt::print(", drawn from {} with seed {}", all.size(), request.seed);
  if (left_out > 0) fmt::print("; {} left out, since their data sets are missing", left_out);
  if (!outcome.interrupted && !drawn.empty())
    fmt::print("; this took {} with {}", duration_text(took), counted(work.jobs, "thread"));
  if (drawn.size() < all.size() && !seconds.empty())  // what a sample took is mostly reading data
    fmt::print("; all {} took {} of one thread where they were made", all.size(),
               duration_text(total_cost(planned(all))));
  fmt::print("\n");
  if (outcome.interrupted) tell("interrupted\n");
  std::fflush(nullptr);
  if (outcome.abandoned) std::_Exit(exit_failed);
  if (!findings.differ.empty() || outcome.interrupted) return exit_failed;
  return comparable && !drawn.empty() ? exit_done : exit_wrong_input;
}

}  // namespace lacp
