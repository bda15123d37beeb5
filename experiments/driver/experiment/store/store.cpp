#include "experiment/store/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "common/frame.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"

namespace lacp {
namespace fs = std::filesystem;

fs::path intervals_path(const fs::path& folder, const std::string& dataset) {
  return folder / "intervals" / (dataset + ".csv");
}

namespace {

/// Columns that a method with equal sides does not have. Beside one that has them, its rows leave them empty.
constexpr std::string_view sides = ",below,above", no_sides = ",,";

/// The csv of each method in a file of intervals; nothing of what is no row.
std::map<std::string, std::string> by_method(const fs::path& file) {
  std::map<std::string, std::vector<std::string>> rows;
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  const std::vector<std::string> lines = split_text(read_file(file), '\n');
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (const std::size_t comma = lines[i].find(','); comma != std::string::npos)
      rows[lines[i].substr(0, comma)].push_back(lines[i].substr(comma + 1));
  std::map<std::string, std::string> texts;
  for (auto& [method, of_method] : rows) {
    std::string header = lines[0].substr(lines[0].find(',') + 1);
    if (header.ends_with(sides) &&
        std::ranges::all_of(of_method, [](const std::string& row) { return row.ends_with(no_sides); })) {
      header.resize(header.size() - sides.size());
      for (std::string& row : of_method) row.resize(row.size() - no_sides.size());
    }
    texts[method] = header + "\n" + join(of_method, "\n") + "\n";
  }
  return texts;
}

void keep_intervals(const fs::path& folder, const Task& task, const std::string& text) {
  const fs::path file = intervals_path(folder, task.dataset);
  std::map<std::string, std::string> texts = by_method(file);
  texts[task.method] = text;
  const auto header_of = [](const std::string& csv) { return csv.substr(0, csv.find('\n')); };
  std::string header = header_of(text);
  for (const auto& [method, csv] : texts)
    if (header_of(csv) == header + std::string(sides)) header += sides;
  std::string all = "method," + header + "\n";
  for (const auto& [method, csv] : texts) {
    const bool equal = header_of(csv) + std::string(sides) == header;
    if (!equal && header_of(csv) != header) continue;  // by another version
    const std::vector<std::string> lines = split_text(csv, '\n');
    for (std::size_t i = 1; i + 1 < lines.size(); ++i)
      all += fmt::format("{},{}{}\n", method, lines[i], equal ? no_sides : "");
  }
  write_file(file, all);
}

SurveyedDataset survey_dataset(const DatasetDescription& description, const fs::path& folder) {
  const bool there = at_hand(description);
  const bool stated = is_synthetic(description) || !description.source->sha256.empty();
  return {.description = description,
          .at_hand = there,  // if not, what was made from it while it was there still counts
          .fingerprint = stated || there ? data_fingerprint(description)
                                         : recorded_fingerprint(folder, description.name)};
}

}  // namespace

std::string kept_intervals(const fs::path& folder, const Task& task) {
  return by_method(intervals_path(folder, task.dataset))[task.method];
}

std::string read_intervals(const fs::path& folder, const Cell& cell) {
  std::string text = kept_intervals(folder, cell.task);
  if (sha256(text) != cell.intervals)
    user_error("{}: is damaged: what it has of {} does not match the checksum in its cell",
               intervals_path(folder, cell.task.dataset).string(), cell.task.method);
  return text;
}

/// Whether the intervals that are kept are those of the cell: not if none are, or if other settings were done
/// later. UserError if they are of no cell.
static bool has_intervals(const Cells& cells, const Cell& cell) {
  const auto are_its_own = [&](const Cells& known) -> std::optional<bool> {
    const std::string kept = kept_intervals(known.folder(), cell.task), checksum = sha256(kept);
    const auto has_them = [&](const FoundCell& other) {
      return other.cell && other.cell->settings != cell.settings && other.cell->intervals == checksum;
    };
    if (kept.empty() || std::ranges::any_of(known.find(cell.task), has_them)) return false;
    return checksum == cell.intervals ? std::optional(true) : std::nullopt;
  };
  if (const std::optional<bool> found = are_its_own(cells)) return *found;
  // A run beside this one may have stored both since these cells were read, or be about to store its cell.
  const FolderLock turn(intervals_path(cells.folder(), cell.task.dataset).parent_path());
  if (const std::optional<bool> found = are_its_own(Cells(cells.folder()))) return *found;
  read_intervals(cells.folder(), cell);
  return true;
}

CellCheck check_cell(const Cells& cells, const Experiment& experiment, const Task& task,
                     const std::string& fingerprint) {
  const std::string settings = settings_hash(experiment, task, fingerprint);
  CellCheck check;
  try {
    for (FoundCell& found : cells.find(task)) {
      std::optional<Cell>& cell = found.cell;
      if (!cell) {
        if (check.state == CellState::missing) {
          check.state = CellState::damaged;
          check.message = found.problem;
        }
      } else if (!cell->failure.empty()) {
        if (!check.failure && (cell->settings.empty() || cell->settings == settings))
          check.failure = Failure{cell->failure, cell->settings};
      } else if (cell->data != fingerprint || cell->settings != settings) {
        if (!check.cell) {
          check.state = CellState::changed;
          check.cell = std::move(cell);
        }
      } else {
        check = {.state = CellState::missing, .cell = std::move(cell)};
        if (!found.in_part && keeps_intervals(experiment, task) && !has_intervals(cells, *check.cell))
          return check;
        check.state = CellState::done;
        return check;
      }
    }
  } catch (const UserError& problem) {
    return {.state = CellState::damaged, .message = problem.what()};
  }
  return check;
}

std::vector<CellCheck> check_cells(const Cells& cells, const Experiment& experiment,
                                   const std::vector<Task>& tasks,
                                   const std::map<std::string, std::string>& fingerprints,
                                   const KeepValue& keep) {
  std::vector<CellCheck> checks(tasks.size());
  const auto check = [&](std::size_t i) {
    checks[i] = check_cell(cells, experiment, tasks[i], fingerprints.at(tasks[i].dataset));
    if (!checks[i].cell) return;
    std::vector<Measurement>& values = checks[i].cell->values;
    std::erase_if(values, [&](const Measurement& value) { return !keep(value); });
    values.shrink_to_fit();
  };
  std::vector<std::function<void()>> work;
  for (std::size_t i = 0; i < tasks.size(); ++i) work.emplace_back([&check, i] { check(i); });
  do_all(work, std::thread::hardware_concurrency());
  return checks;
}

Cell stored_cell(const Experiment& experiment, const std::string& fingerprint, const TaskResult& result) {
  Cell cell = result.cell;
  cell.settings = settings_hash(experiment, cell.task, fingerprint);
  cell.data = fingerprint;
  if (!result.intervals.empty()) cell.intervals = sha256(result.intervals);
  return cell;
}

void store_result(const fs::path& folder, const Experiment& experiment, const std::string& fingerprint,
                  const TaskResult& result) {
  const Cell cell = stored_cell(experiment, fingerprint, result);
  if (result.intervals.empty()) {
    store_cell(folder, cell);
    return;
  }
  // Threads and processes take turns, so that none loses what another has kept, and who waits sees both.
  static std::mutex mutex;  // where the file system has no locks
  const std::lock_guard turn(mutex);
  const FolderLock lock(intervals_path(folder, cell.task.dataset).parent_path());
  keep_intervals(folder, cell.task, result.intervals);
  store_cell(folder, cell);
}

void add_datasets(Survey& survey, const Catalog& catalog, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (survey.datasets.contains(name)) continue;
    try {
      survey.datasets[name] = survey_dataset(catalog.find(name), survey.folder);
    } catch (const UserError&) {  // its description is gone or wrong: what is recorded of it stays
      survey.datasets.erase(name);
    }
  }
}

Survey survey(const Experiment& experiment, const Catalog& catalog, const fs::path& results,
              const std::vector<Task>& tasks) {
  Survey out;
  out.folder = results / experiment.name;
  for (const std::string& name : experiment.datasets)
    out.datasets[name] = survey_dataset(catalog.find(name), out.folder);
  std::map<std::string, std::string> fingerprints;
  for (const auto& [name, dataset] : out.datasets) fingerprints[name] = dataset.fingerprint;
  std::vector<CellCheck> checks =
      check_cells(out.folder, experiment, tasks, fingerprints, [](const Measurement&) { return false; });
  for (std::size_t i = 0; i < tasks.size(); ++i) out.tasks.push_back({tasks[i], std::move(checks[i])});
  return out;
}

std::map<Task, double> Survey::seconds() const {
  std::map<Task, double> times;
  for (const auto& [task, check] : tasks)
    if (check.cell && check.cell->seconds) times[task] = *check.cell->seconds;
  return times;
}

std::string failures_text(const Failures& failures) {
  constexpr std::size_t most_shown = 20;
  std::map<std::string, std::size_t> times;
  for (const auto& [task, failure] : failures) ++times[failure.reason];
  std::string text;
  std::size_t shown = 0, told = 0;
  for (const auto& [task, failure] : failures) {
    const std::size_t same = std::exchange(times[failure.reason], 0);  // told with the first of them
    if (same == 0 || ++shown > most_shown) continue;
    told += same;
    text += fmt::format("  {}: {}{}\n", to_text(task), failure.reason,
                        same > 1 ? fmt::format(" (and {} more for the same reason)", same - 1) : "");
  }
  if (shown > most_shown)
    text +=
        fmt::format("  ... and {} more, in the column `failure` of cells/*.csv\n", failures.size() - told);
  return text;
}

}  // namespace lacp
