#include "store/store.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "common/threads.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"

namespace lacp {
namespace fs = std::filesystem;

fs::path intervals_path(const fs::path& folder, const Task& task) {
  return folder / "intervals" / task.dataset / (task.method + ".csv");
}

std::string read_intervals(const fs::path& folder, const Cell& cell) {
  const fs::path file = intervals_path(folder, cell.task);
  std::string text = read_file(file);
  if (sha256(text) != cell.intervals)
    user_error("{}: is damaged: its contents do not match the checksum in its cell", file.string());
  return text;
}

CellCheck check_cell(const Cells& cells, const Experiment& experiment, const Task& task,
                     const std::string& fingerprint) {
  const std::string settings = settings_hash(experiment, task, fingerprint);
  CellCheck check;
  try {
    for (FoundCell& found : cells.find(task)) {
      std::optional<Cell>& cell = found.cell;
      if (!cell) {
        if (check.state == CellState::missing)
          check.state = CellState::damaged, check.message = found.problem;
      } else if (!cell->failure.empty()) {
        if (!check.failure && (cell->settings.empty() || cell->settings == settings))
          check.failure = Failure{cell->failure, cell->settings};
      } else if (cell->data != fingerprint || cell->settings != settings) {
        if (!check.cell) check.state = CellState::changed, check.cell = std::move(cell);
      } else {
        check = {.state = CellState::missing, .cell = std::move(cell)};
        std::error_code error;
        if (keeps_intervals(experiment, task)) {
          if (!fs::exists(intervals_path(cells.folder(), task), error)) return check;
          read_intervals(cells.folder(), *check.cell);
        }
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
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks.size(); i = next++) {
      checks[i] = check_cell(cells, experiment, tasks[i], fingerprints.at(tasks[i].dataset));
      if (!checks[i].cell) continue;
      std::vector<Measurement>& values = checks[i].cell->values;
      if (std::erase_if(values, [&](const Measurement& value) { return !keep(value); }) > 0)
        values.shrink_to_fit();
    }
  };
  std::vector<std::jthread> others =
      start_threads(std::max(1u, std::thread::hardware_concurrency()) - 1, work);
  work();
  return others.clear(), checks;
}

std::function<bool(const Cell&)> counting(const Experiment& experiment,
                                          const std::map<std::string, std::string>& fingerprints) {
  return [experiment, fingerprints](const Cell& cell) {
    const auto data = fingerprints.find(cell.task.dataset);
    if (data == fingerprints.end()) return false;
    try {
      return cell.settings == settings_hash(experiment, cell.task, data->second);
    } catch (const UserError&) {  // a method that this program does not have
      return false;
    }
  };
}

Cell stored_cell(const Experiment& experiment, const std::string& fingerprint, const TaskResult& result) {
  Cell cell = result.cell;
  cell.settings = settings_hash(experiment, cell.task, fingerprint);
  cell.data = fingerprint;
  if (!result.intervals.empty()) cell.intervals = sha256(result.intervals);
  return cell;
}

void store_result(CellLog& log, const fs::path& folder, const Experiment& experiment,
                  const std::string& fingerprint, const TaskResult& result) {
  if (!result.intervals.empty()) write_file(intervals_path(folder, result.cell.task), result.intervals);
  log.append(stored_cell(experiment, fingerprint, result));
}

void remove_leftovers(const fs::path& folder) {
  using namespace std::chrono_literals;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') || !name.ends_with(".tmp")) continue;
    std::error_code gone;  // renamed meanwhile by the run that writes it
    const auto written = fs::last_write_time(entry->path(), gone);
    if (!gone && fs::file_time_type::clock::now() - written > 1h) fs::remove(entry->path(), gone);
  }
}

}  // namespace lacp
