#include "store/store.hpp"

#include <chrono>

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
    user_error("{}: is damaged: its contents do not match the sum in its cell; delete it and run again",
               file.string());
  return text;
}

CellCheck check_cell(const fs::path& folder, const Experiment& experiment, const Task& task,
                     const std::string& fingerprint) {
  const fs::path path = cell_path(folder, task);
  std::error_code error;
  if (!fs::exists(path, error)) return {CellState::missing, ""};
  Cell cell;
  try {
    cell = read_cell(path);
  } catch (const UserError& problem) {
    return {CellState::damaged, problem.what()};
  }
  if (cell.task != task)
    return {CellState::damaged, fmt::format("{}: is the cell of another task ({} {} {})", path.string(),
                                            cell.task.dataset, cell.task.run, cell.task.method)};
  if (cell.data != fingerprint || cell.settings != settings_hash(experiment, task, fingerprint))
    return {CellState::changed, ""};
  if (!keeps_intervals(experiment, task)) return {CellState::done, ""};
  if (!fs::exists(intervals_path(folder, task), error)) return {CellState::missing, ""};
  try {
    read_intervals(folder, cell);
  } catch (const UserError& problem) {
    return {CellState::damaged, problem.what()};
  }
  return {CellState::done, ""};
}

void store_result(const fs::path& folder, const Experiment& experiment, const std::string& fingerprint,
                  TaskResult result) {
  const Task& task = result.cell.task;
  result.cell.settings = settings_hash(experiment, task, fingerprint);
  result.cell.data = fingerprint;
  if (!result.intervals.empty()) {
    result.cell.intervals = sha256(result.intervals);
    // A cell of other settings must not stand beside intervals of these, should this be the last thing done.
    std::error_code error;
    if (check_cell(folder, experiment, task, fingerprint).state == CellState::changed)
      fs::remove(cell_path(folder, task), error);
    write_file(intervals_path(folder, task), result.intervals);
  }
  write_file(cell_path(folder, task), to_text(result.cell));
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
