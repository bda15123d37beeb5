#include "store/records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/text_table.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// What a csv says of each task, after the fields that name it.
using Rows = std::map<Task, std::vector<std::string>>;

/// Rows of this many fields; one that an earlier version did not write is empty. A file that cannot be read,
/// or was removed by another run a moment ago, has no rows: it says nothing that a run needs.
Rows read_rows(const fs::path& file, std::size_t fields) {
  Rows rows;
  try {
    const TextTable table = read_text_table(file);
    const std::size_t dataset = table.column("dataset"), method = table.column("method");
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const std::vector<std::string>& row = table.rows[i];
      std::vector<std::string>& rest = rows[{row[dataset], table.count(i, "run"), row[method]}];
      rest.assign(row.begin() + 3, row.end());
      rest.resize(fields);
    }
  } catch (const UserError&) {
    return {};
  }
  return rows;
}

void write_rows(const fs::path& file, const std::vector<std::string>& columns, const Rows& rows) {
  TextTable table{{"dataset", "run", "method"}, {}, file.string()};
  table.header.insert(table.header.end(), columns.begin(), columns.end());
  for (const auto& [task, rest] : rows) {
    std::vector<std::string> row = {task.dataset, std::to_string(task.run), task.method};
    row.insert(row.end(), rest.begin(), rest.end());
    table.add(std::move(row));
  }
  write_file(file, to_text(table));
}

std::vector<fs::path> sorted_subfolders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

Failures read_own(const fs::path& folder) {
  Failures failures;
  for (const auto& [task, row] : read_rows(folder / "failures.csv", 2)) failures[task] = {row[0], row[1]};
  return failures;
}

}  // namespace

// The folder itself is locked, which leaves no file behind. If it cannot be made, writing the record will say
// why.
RecordsLock::RecordsLock(const fs::path& folder, Holders holders) {
  std::error_code error;
  fs::create_directories(folder, error);
  folder_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) return;
  while (::flock(folder_, holders == one ? LOCK_EX : LOCK_SH) != 0 && errno == EINTR) continue;
}

RecordsLock::~RecordsLock() {
  if (folder_ >= 0) ::close(folder_);
}

Failures read_failures(const fs::path& folder) {
  Failures failures = read_own(folder);
  for (const fs::path& worker : sorted_subfolders(folder / "shards"))
    for (auto& [task, failure] : read_own(worker)) failures.insert_or_assign(task, std::move(failure));
  return failures;
}

void write_failures(const fs::path& folder, const Failures& failures) {
  const fs::path file = folder / "failures.csv";
  std::error_code error;
  if (failures.empty()) {
    fs::remove(file, error);
    return;
  }
  Rows rows;
  for (const auto& [task, failure] : failures) rows[task] = {one_line(failure.reason), failure.settings};
  write_rows(file, {"reason", "settings"}, rows);
}

void change_failures(const fs::path& folder, const std::vector<Task>& out, const Failures& in) {
  const Failures before = read_own(folder);
  Failures after = before;
  for (const Task& task : out) after.erase(task);
  for (const auto& [task, failure] : in) after.insert_or_assign(task, failure);
  if (after != before) write_failures(folder, after);
}

void add_times(const fs::path& folder, const std::map<Task, double>& times) {
  if (times.empty()) return;
  Rows rows = read_rows(folder / "times.csv", 1);
  for (const auto& [task, seconds] : times) rows[task] = {fmt::format("{:.3f}", seconds)};
  write_rows(folder / "times.csv", {"seconds"}, rows);
}

std::map<Task, double> read_times(const fs::path& folder) {
  std::map<Task, double> times;
  for (const auto& [task, row] : read_rows(folder / "times.csv", 1))
    if (const auto seconds = parse_double(row[0])) times[task] = *seconds;
  return times;
}

std::map<Task, Redone> read_redone(const fs::path& folder) {
  std::map<Task, Redone> redone;
  for (const auto& [task, row] : read_rows(folder / "redone.csv", 2)) redone[task] = {row[0], row[1]};
  return redone;
}

void add_redone(const fs::path& folder, const Task& task, const Redone& redone) {
  Rows rows = read_rows(folder / "redone.csv", 2);
  const auto [row, added] = rows.try_emplace(task, std::vector{redone.before, redone.after});
  if (!added) row->second[1] = redone.after;
  write_rows(folder / "redone.csv", {"before", "after"}, rows);
}

void remove_rows(const fs::path& folder) {
  std::error_code error;
  for (const char* name : {"failures.csv", "times.csv"}) fs::remove(folder / name, error);
}

}  // namespace lacp
