#include "store.hpp"

#include <algorithm>
#include <chrono>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view failures_header = "dataset,run,method,reason\n";
constexpr std::string_view times_header = "dataset,run,method,seconds\n";

/// The text of a file; "" if it cannot be read, or was removed by another run a moment ago.
std::string text_or_nothing(const fs::path& file) {
  try {
    return read_file(file);
  } catch (const UserError&) {
    return "";
  }
}

/// Rows "dataset,run,method,rest" of a csv, the rest as it stands. A file that cannot be read has none: it
/// says nothing that a run needs.
std::map<Task, std::string> read_rows(const fs::path& file) {
  std::map<Task, std::string> rows;
  const std::string text = text_or_nothing(file);
  for (const std::string& line : split_text(text, '\n')) {
    std::vector<std::string> fields = split_text(line, ',');
    if (fields.size() < 4) continue;
    const auto run = parse_integer(fields[1]);
    if (!run || *run < 0) continue;  // the header
    const std::size_t rest = fields[0].size() + fields[1].size() + fields[2].size() + 3;
    rows[{fields[0], static_cast<std::size_t>(*run), fields[2]}] = line.substr(rest);
  }
  return rows;
}

std::string to_csv(std::string_view header, const std::map<Task, std::string>& rows) {
  std::string text(header);
  for (const auto& [task, rest] : rows)
    text += fmt::format("{},{},{},{}\n", task.dataset, task.run, task.method, rest);
  return text;
}

std::string unquote(std::string_view text) {
  if (text.size() < 2 || text.front() != '"') return std::string(text);
  std::string out;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    out += text[i];
    if (text[i] == '"') ++i;
  }
  return out;
}

std::vector<fs::path> sorted_subfolders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::string csv_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + "\"";
}

fs::path intervals_path(const fs::path& folder, const Task& task) {
  return folder / "intervals" / task.dataset / (task.method + ".csv");
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
  if (keeps_intervals(experiment, task) && !fs::exists(intervals_path(folder, task), error))
    return {CellState::missing, ""};
  return {CellState::done, ""};
}

void store_result(const fs::path& folder, const Experiment& experiment, const std::string& fingerprint,
                  TaskResult result) {
  const Task& task = result.cell.task;
  result.cell.settings = settings_hash(experiment, task, fingerprint);
  result.cell.data = fingerprint;
  if (!result.intervals.empty()) {
    // A cell of other settings must not stand beside intervals of these, should this be the last thing done.
    std::error_code error;
    if (check_cell(folder, experiment, task, fingerprint).state == CellState::changed)
      fs::remove(cell_path(folder, task), error);
    write_file(intervals_path(folder, task), result.intervals);
  }
  write_file(cell_path(folder, task), to_text(result.cell));
}

Failures read_failures(const fs::path& folder) {
  Failures failures = read_rows(folder / "failures.csv");
  for (const fs::path& worker : sorted_subfolders(folder / "shards"))
    for (auto& [task, reason] : read_rows(worker / "failures.csv"))
      failures.insert_or_assign(task, std::move(reason));
  for (auto& [task, reason] : failures) reason = unquote(reason);
  return failures;
}

void write_failures(const fs::path& folder, const Failures& failures) {
  const fs::path file = folder / "failures.csv";
  std::error_code error;
  if (failures.empty()) {
    fs::remove(file, error);
    return;
  }
  std::map<Task, std::string> rows;
  for (const auto& [task, reason] : failures) rows[task] = csv_quoted(reason);
  write_file(file, to_csv(failures_header, rows));
}

void add_times(const fs::path& folder, const std::map<Task, double>& times) {
  if (times.empty()) return;
  std::map<Task, std::string> rows = read_rows(folder / "times.csv");
  for (const auto& [task, seconds] : times) rows[task] = fmt::format("{:.3f}", seconds);
  write_file(folder / "times.csv", to_csv(times_header, rows));
}

std::map<Task, double> read_times(const fs::path& folder) {
  std::map<Task, double> times;
  for (const auto& [task, text] : read_rows(folder / "times.csv"))
    if (const auto seconds = parse_double(text)) times[task] = *seconds;
  return times;
}

void remove_rows(const fs::path& folder) {
  std::error_code error;
  for (const char* name : {"failures.csv", "times.csv"}) fs::remove(folder / name, error);
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
