// `lacp verify`: does the tasks of a folder again, by the settings in its manifest, and compares: the bytes
// of cells and kept intervals, the reasons of failures; and units.csv with the data, table.csv with the
// cells. Tells what is missing; writes nothing there. Tasks whose data set is missing are left out.
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>

#include "common/frame.hpp"
#include "common/message.hpp"
#include "common/threads.hpp"
#include "experiment/engine/executor.hpp"
#include "experiment/engine/units.hpp"
#include "experiment/run/run.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

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

/// What was found out about the tasks that were done again. Used from several threads.
struct Findings {
  std::mutex mutex;
  std::size_t cells = 0, failures = 0;  ///< that came out as they are in the folder
  std::map<Task, std::string> differ;   ///< the file, and what is in it and here

  void add(const std::string& source, const Task& task, const std::string& difference) {
    differ[task] = fmt::format("{}: {} {} {}: {}", source, task.dataset, task.run, task.method, difference);
  }
};

/// The folder's tasks: what it has of each.
struct Recorded {
  std::vector<Task> tasks;  ///< that have numbers, right or wrong, or failed
  Failures failed;          ///< those that will fail again
  std::vector<Task> missing;

  explicit Recorded(const Survey& survey) {
    for (const auto& [task, check] : survey.tasks) {
      const bool fails = check.failure && !check.failure->settings.empty();
      if (fails) failed[task] = *check.failure;
      const bool there = fails || check.cell || check.state == CellState::damaged;
      (there ? tasks : missing).push_back(task);
    }
  }
};

/// Where the folder says that the task failed.
std::string failure_source(const Cells& cells, const Task& task) {
  for (const FoundCell& found : cells.find(task))
    if (found.cell && !found.cell->failure.empty()) return found.source;
  return cells.folder().string();
}

/// Of a cell that is kept in part: the first number that is another here; else the checksum, which is of all.
std::string difference_in_part(const Cell& there, const Cell& here) {
  const auto shown = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string("none");
  };
  for (const Cell* one : {&there, &here})  // a number may be missing on either side
    for (const Measurement& m : one->values) {
      const auto kept = there.value(m.metric, m.alpha), value = here.value(m.metric, m.alpha);
      if (!is_in_tables(m) || kept == value) continue;
      return fmt::format("{}{}: {} in the folder, {} here", m.metric,
                         m.alpha.empty() ? "" : " at α = " + m.alpha, shown(kept), shown(value));
    }
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
    findings.cells += 1;
  else
    findings.add(source, task, difference);
}

/// Compares how tasks failed here with what the folder has. False if one could not be tried, which was said.
bool compare_failures(const Cells& cells, const Failures& there, const Failures& here, Findings& findings) {
  bool tried = true;
  for (const auto& [task, failure] : here) {
    const auto recorded = there.find(task);
    if (failure.settings.empty())
      tried = false;  // its data could not be read
    else if (recorded == there.end())
      findings.add(cells.newest(task).value().source, task,
                   "is in the folder, and fails here: " + failure.reason);
    else if (recorded->second.reason == failure.reason)
      findings.failures += 1;
    else
      findings.add(
          failure_source(cells, task), task,
          fmt::format("failed in the folder: {}; fails here: {}", recorded->second.reason, failure.reason));
  }
  return tried;
}

/// What is wrong with the units of a data set: the first that is not as its data gives it.
std::string units_problem(const Manifest& manifest, const Catalog& catalog, const Units& units,
                          const std::string& dataset) {
  std::vector<std::size_t> runs(manifest.experiment.runs);
  std::iota(runs.begin(), runs.end(), std::size_t{0});
  for (const auto& [place, here] : computed_units(manifest, catalog, dataset, runs)) {
    const std::string what = fmt::format("{}, run {}: ", dataset, place.second);
    const auto there = units.find(place);
    if (there == units.end()) return what + "is missing, or of other settings or data";
    for (const auto& [column, kept, value] :
         {std::tuple("mean_abs_y", there->second.used, here.used),
          std::tuple("mean_abs_y_proper", there->second.proper, here.proper)})
      if (number_text(kept) != number_text(value))
        return fmt::format("{}{}: {} in the folder, {} here", what, column, number_text(kept),
                           number_text(value));
  }
  return "";
}

/// What is wrong with table.csv and units.csv, a line for each. Units of data sets that are missing are not
/// looked at.
std::vector<std::string> file_problems(const fs::path& folder, const Manifest& manifest, const Survey& found,
                                       const Catalog& catalog, const TableProblem& table_problem) {
  std::vector<std::string> problems;
  try {
    if (manifest.experiment.predictor.cross_fit != 0) {
      Units units = read_units(folder);
      keep_own_units(units, manifest);
      for (const std::string& name : manifest.experiment.datasets) {
        const SurveyedDataset& dataset = found.datasets.at(name);
        if (!dataset.at_hand || dataset.fingerprint != manifest.fingerprint(name)) continue;
        if (const std::string problem = units_problem(manifest, catalog, units, name); !problem.empty())
          problems.push_back(fmt::format("{}: {}", units_path(folder).string(), problem));
      }
    }
    if (const std::string problem = table_problem(folder); !problem.empty()) problems.push_back(problem);
  } catch (const UserError& problem) {
    problems.emplace_back(problem.what());
  }
  return problems;
}

/// Tells of the cells that cannot be compared, and takes them out of `drawn`. True if there are none.
bool remove_foreign(const Manifest& manifest, const Cells& cells, const Survey& found, const Failures& failed,
                    std::vector<Task>& drawn) {
  std::map<std::string, std::vector<Task>> foreign;  // by the reason
  std::erase_if(drawn, [&](const Task& task) {
    if (failed.contains(task)) return false;
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

/// Takes out those whose data set is missing, and tells. Returns "; 4 left out, since their data sets are
/// missing: own", or "".
std::string remove_left_out(const Work& work, const Survey& found, std::vector<Task>& tasks) {
  std::set<std::string> names;
  const std::size_t left_out = std::erase_if(tasks, [&](const Task& task) {
    const bool missing = !found.datasets.at(task.dataset).at_hand;
    if (missing) names.insert(task.dataset);
    return missing;
  });
  if (left_out == 0) return "";
  const std::vector<std::string> missing(names.begin(), names.end());
  work.report_left_out(missing);
  return fmt::format("; {} left out, since their data sets are missing: {}", left_out, join(missing, ", "));
}

/// Tells of the tasks that the folder has nothing of.
void tell_missing(const fs::path& folder, const Manifest& manifest, const std::vector<Task>& missing) {
  if (missing.empty()) return;
  tell("{}: {} {} missing ({} {} {}{}); to run {}: {}\n", folder.string(), counted(missing.size(), "task"),
       missing.size() > 1 ? "are" : "is", missing[0].dataset, missing[0].run, missing[0].method,
       missing.size() > 1 ? ", ..." : "", missing.size() > 1 ? "them" : "it",
       rerun_command(folder, manifest));
}

/// "12 of 13 cells agree byte for byte, 1 of 1 failure with the same reason, 2 missing"
std::string counts_text(const Findings& findings, const Recorded& recorded) {
  std::size_t failures = findings.failures;
  for (const auto& [task, text] : findings.differ) failures += recorded.failed.contains(task) ? 1 : 0;
  const std::size_t cells = findings.cells + findings.differ.size() + findings.failures - failures;
  std::string text = fmt::format("{} of {} agree byte for byte", findings.cells, counted(cells, "cell"));
  if (failures > 0)
    text += fmt::format(", {} of {} with the same reason", findings.failures, counted(failures, "failure"));
  if (!recorded.missing.empty()) text += fmt::format(", {} missing", recorded.missing.size());
  return text;
}

/// "erc 18 of 18, exp 17 of 18": how many of the tasks that were drawn came out again.
std::string methods_text(const std::vector<Task>& drawn, const Findings& findings, const Failures& here) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> counts;  // by method: agree, drawn
  for (const Task& task : drawn) {
    auto& [agree, all] = counts[task.method];
    all += 1;
    const auto failed = here.find(task);
    const bool tried = failed == here.end() || !failed->second.settings.empty();
    if (tried && !findings.differ.contains(task)) agree += 1;
  }
  return join_each(counts, ", ", [](const auto& count) {
    return fmt::format("{} {} of {}", count.first, count.second.first, count.second.second);
  });
}

}  // namespace

int verify_results(const VerifyOptions& options, const TableProblem& table_problem) {
  const Manifest manifest = load_manifest(options.folder);
  const Catalog catalog = open_catalog(options.datasets_folder);
  const Cells cells(options.folder);
  const Survey found =
      survey(manifest.experiment, catalog, folder_above(options.folder), grid(manifest.experiment));
  const std::map<Task, double> seconds = found.seconds();
  const Recorded recorded(found);
  std::vector<Task> all = recorded.tasks;
  if (all.empty())
    user_error("{}: has no cells to verify; expected a folder that `lacp run` filled",
               options.folder.string());
  tell_missing(options.folder, manifest, recorded.missing);
  Work work{.experiment = manifest.experiment, .folder = found.folder, .datasets = found.datasets};
  const std::string left_out = remove_left_out(work, found, all);
  std::vector<Task> drawn = all;
  if (options.sample > 0) drawn = draw(all, options.sample, options.seed);
  if (options.share > 0) drawn = draw_runs(all, options.share, options.seed);
  bool comparable = remove_foreign(manifest, cells, found, recorded.failed, drawn);
  work.tasks = work.planned(drawn, seconds);
  work.jobs = thread_count(options.jobs, work.tasks.size());
  Findings findings;
  work.take = [&](const TaskResult& result) {
    const Task& task = result.cell.task;
    const auto failed = recorded.failed.find(task);
    if (failed == recorded.failed.end()) return compare(cells, work, result, findings);
    const std::lock_guard lock(findings.mutex);
    findings.add(failure_source(cells, task), task,
                 fmt::format("failed in the folder: {}; is done here", failed->second.reason));
  };
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = drawn.empty() ? Outcome{} : execute(work);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  comparable = compare_failures(cells, recorded.failed, outcome.failures, findings) && comparable;
  const std::vector<std::string> problems =
      file_problems(options.folder, manifest, found, catalog, table_problem);
  for (const auto& [task, text] : findings.differ) show("{}\n", text);
  for (const std::string& problem : problems) show("{}\n", problem);
  show("{}: {}", options.folder.string(), counts_text(findings, recorded));
  if (options.sample != 0 || options.share > 0)
    show(", drawn from {} with seed {}", all.size(), options.seed);
  show("{}", left_out);
  if (!drawn.empty()) show("; this took {} with {}", duration_text(took), counted(work.jobs, "thread"));
  if (drawn.size() < all.size() && !seconds.empty())  // what a sample took is mostly reading data
    show("; all {} took {} of one thread where they were made", all.size(),
         duration_text(total_cost(work.planned(all, seconds))));
  show("\n");
  if (options.share > 0)
    show("{}: by method: {}\n", options.folder.string(), methods_text(drawn, findings, outcome.failures));
  const bool lacks = !recorded.missing.empty() && !options.allow_missing;
  if (!findings.differ.empty() || !problems.empty() || lacks) return exit_failed;
  return comparable && !drawn.empty() ? exit_done : exit_wrong_input;
}

}  // namespace lacp
