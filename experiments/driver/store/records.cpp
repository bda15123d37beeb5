#include "store/records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

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

Failures read_own(const fs::path& folder) {
  Failures failures = read_rows(folder / "failures.csv");
  for (auto& [task, reason] : failures) reason = unquote(reason);
  return failures;
}

}  // namespace

// The folder itself is locked, which leaves no file behind. If it cannot be made, writing the record will say
// why.
RecordsLock::RecordsLock(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  folder_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) return;
  while (::flock(folder_, LOCK_EX) != 0 && errno == EINTR) continue;
}

RecordsLock::~RecordsLock() {
  if (folder_ >= 0) ::close(folder_);
}

std::string csv_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + "\"";
}

Failures read_failures(const fs::path& folder) {
  Failures failures = read_own(folder);
  for (const fs::path& worker : sorted_subfolders(folder / "shards"))
    for (auto& [task, reason] : read_own(worker)) failures.insert_or_assign(task, std::move(reason));
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

void change_failures(const fs::path& folder, const std::vector<Task>& out, const Failures& in) {
  const Failures before = read_own(folder);
  Failures after = before;
  for (const Task& task : out) after.erase(task);
  for (const auto& [task, reason] : in) after.insert_or_assign(task, reason);
  if (after != before) write_failures(folder, after);
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

}  // namespace lacp
