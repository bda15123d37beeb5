#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <set>

#include "common/frame.hpp"
#include "common/message.hpp"
#include "experiment/store/store.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// The csv files of cells by data set, those of tasks among them.
std::multimap<std::string, fs::path> files_by_dataset(const fs::path& folder) {
  std::multimap<std::string, fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "cells", error)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".csv") || name.starts_with('.')) continue;
    const std::vector<std::string> parts = split_text(name, '.');
    const bool is_of_task = parts.size() == 5 && parse_integer(parts[1]) && parse_integer(parts[2]);
    files.emplace(is_of_task ? parts[0] : entry.path().stem().string(), entry.path());
  }
  return files;
}

/// The text of a file; nothing if it is not there, or a merge took it away meanwhile.
std::optional<std::string> text_of(const fs::path& file) try {
  return read_file(file);
} catch (const UserError&) {
  std::error_code error;
  if (fs::exists(file, error)) throw;
  return std::nullopt;
}

/// Finds the cells in a text, which is that of a file.
void find_cells(std::string_view text, const fs::path& file, const std::string& dataset,
                std::multimap<Task, CellFiles::Rows>& cells) {
  if (text.empty()) return;
  if (!text.starts_with(cell_header))
    user_error("{}: does not begin with '{}'", file.string(), trim(cell_header));
  std::size_t line = 1;
  CellFiles::Rows* current = nullptr;
  std::string prefix;  // "0,exp," of the rows of the current cell
  for (std::size_t begin = cell_header.size(), end = 0; begin < text.size(); begin = end) {
    end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    ++line;
    const std::string_view row = text.substr(begin, end - begin);
    const bool goes_on = current != nullptr && row.ends_with(",,,,,,,\n") && row.starts_with(prefix);
    const std::vector<std::string> fields = goes_on ? std::vector<std::string>() : split_text(row, ',');
    const auto run = fields.size() > 2 ? parse_integer(fields[0]) : std::nullopt;
    if (run && *run >= 0) {
      const Task task{dataset, static_cast<std::size_t>(*run), fields[1]};
      const std::string source = fmt::format("{}:{}", file.string(), line);
      current = &cells.emplace(task, CellFiles::Rows{source, text.substr(begin, 0)})->second;
      prefix = fmt::format("{},{},", fields[0], fields[1]);
    }
    if (current != nullptr)  // what is no row of a task spoils the cell before it
      current->rows = {current->rows.data(), current->rows.size() + row.size()};
  }
}

/// A cell that a merge keeps, or rows that are damaged.
struct KeptCell {
  std::string_view rows;
  int rank;
  std::string settings, checksum;
};

/// What is better stays.
int rank_of(const std::optional<Cell>& cell, const CountsCell& counts) {
  if (!cell) return 0;
  const bool failed = !cell->failure.empty();
  if (!counts || counts(*cell)) return failed ? 3 : 4;
  return failed ? 1 : 2;
}

/// The cells that a merge keeps, by task: one for each settings, or one that counts.
std::map<Task, std::vector<KeptCell>> chosen(const CellFiles& files, const CountsCell& counts) {
  std::map<Task, std::vector<KeptCell>> tasks;
  for (const auto& [task, found] : files.cells) {
    const std::optional<Cell> cell = parse_rows(task, found.rows);
    KeptCell choice{found.rows, rank_of(cell, counts), cell && !counts ? cell->settings : "",
                    cell ? cell->checksum : ""};
    std::vector<KeptCell>& kept = tasks[task];
    const auto before = std::ranges::find(kept, choice.settings, &KeptCell::settings);
    if (before == kept.end())
      kept.push_back(std::move(choice));
    else if (choice.rank >= before->rank && choice.checksum != before->checksum)
      *before = std::move(choice);
  }
  for (auto& [task, kept] : tasks)  // damaged
    if (kept.size() > 1) std::erase_if(kept, [](const KeptCell& cell) { return cell.settings.empty(); });
  return tasks;
}

bool consists_of(std::string_view text, const std::vector<std::string_view>& parts) {
  for (const std::string_view part : parts) {
    if (!text.starts_with(part)) return false;
    text.remove_prefix(part.size());
  }
  return text.empty();
}

std::string to_text(const Measurement& m) {
  return fmt::format("{},{},{},{}", m.metric, m.alpha, m.bin == 0 ? "" : std::to_string(m.bin), m.value);
}

std::optional<Measurement> parse_measurement(const std::vector<std::string>& fields) {
  const auto bin = parse_integer(fields[4].empty() ? "0" : fields[4]);
  const auto value = parse_double(fields[5]);
  if (!bin || *bin < 0 || !value || std::isnan(*value)) return std::nullopt;
  return Measurement{fields[2], fields[3], static_cast<std::size_t>(*bin), *value};
}

}  // namespace

std::optional<double> Cell::value(std::string_view metric, std::string_view alpha, std::size_t bin) const {
  for (const Measurement& m : values)
    if (m.metric == metric && m.alpha == alpha && m.bin == bin) return m.value;
  return std::nullopt;
}

std::string to_text(const Cell& cell) {
  const auto& [dataset, run, method] = cell.task;
  std::string text = fmt::format("# lacp cell, format 1\n# task: {} {} {}\n# settings: {}\n# data: {}\n",
                                 dataset, run, method, cell.settings, cell.data);
  if (!cell.intervals.empty()) text += fmt::format("# intervals: {}\n", cell.intervals);
  if (!cell.failure.empty()) text += fmt::format("# failure: {}\n", cell.failure);
  text += "metric,alpha,bin,value\n";
  for (const Measurement& m : cell.values) text.append(to_text(m)).append("\n");
  return text;
}

std::string to_rows(const Cell& cell) {
  std::string rows;
  const auto add = [&](const std::string& number, const std::string& rest) {
    rows += fmt::format("{},{},{},{}\n", cell.task.run, cell.task.method, number, rest);
  };
  const std::string head =
      fmt::format("{},{},{},{},{},{},{}", cell.settings, cell.data, cell.intervals, checksum_of(cell),
                  cell.commit, cell.seconds ? fmt::format("{:.3f}", *cell.seconds) : "",
                  cell.failure.empty() ? "" : csv_quoted(cell.failure));
  if (!cell.failure.empty()) add(",,,", head);
  for (const Measurement& m : cell.values) add(to_text(m), rows.empty() ? head : ",,,,,,");
  return rows;
}

std::optional<Cell> parse_rows(const Task& task, std::string_view rows) {
  Cell cell;
  cell.task = task;
  bool first = true;
  for (const std::string& row : split_text(std::string(rows), '\n')) {
    if (row.empty()) break;  // behind the last
    const std::vector<std::string> fields = first ? csv_fields(row) : split_text(row, ',');
    if (fields.size() != 13) return std::nullopt;
    if (first) {
      cell.settings = fields[6];
      cell.data = fields[7];
      cell.intervals = fields[8];
      cell.checksum = fields[9];
      cell.commit = fields[10];
      cell.seconds = parse_double(fields[11]);
      cell.failure = fields[12];
    }
    first = false;
    if (!cell.failure.empty()) continue;  // it has no numbers
    const std::optional<Measurement> number = parse_measurement(fields);
    if (!number) return std::nullopt;
    cell.values.push_back(*number);
  }
  if (first || to_rows(cell) != rows) return std::nullopt;
  return cell;
}

CellFiles read_cells(const fs::path& folder, const std::string& dataset) {
  const std::vector<fs::path> paths = task_files(folder, dataset);
  std::error_code error;
  std::uintmax_t room = 0;
  for (const fs::path& file : paths)
    if (const auto size = fs::file_size(file, error); !error) room += size;
  std::string of_tasks;  // one text: many small ones would stay in memory when they are gone
  of_tasks.reserve(room);
  std::vector<std::size_t> ends;
  for (const fs::path& file : paths) {
    of_tasks += text_of(file).value_or("");
    ends.push_back(of_tasks.size());
  }
  const fs::path merged = cells_path(folder, dataset);
  CellFiles files;
  files.texts.push_back(text_of(merged).value_or(""));  // what a merge took from the others meanwhile is here
  files.texts.push_back(std::move(of_tasks));
  find_cells(files.texts[0], merged, dataset, files.cells);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < paths.size(); begin = ends[i++])
    find_cells(std::string_view(files.texts[1]).substr(begin, ends[i] - begin), paths[i], dataset,
               files.cells);
  return files;
}

const CellFiles& Cells::files(const std::string& dataset) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(dataset);
  if (found != files_.end()) return found->second;
  return files_.emplace(dataset, read_cells(folder_, dataset)).first->second;
}

std::vector<FoundCell> Cells::find(const Task& task) const {
  std::vector<FoundCell> all;
  const auto [first, last] = files(task.dataset).cells.equal_range(task);
  for (auto found = last; found != first;) {
    --found;
    all.push_back({found->second.source, parse_rows(task, found->second.rows)});
  }
  return all;
}

fs::path cells_path(const fs::path& folder, const std::string& dataset) {
  return folder / "cells" / (dataset + ".csv");
}

std::vector<fs::path> task_files(const fs::path& folder, const std::string& dataset) {
  std::vector<fs::path> found;
  for (const auto& [name, file] : files_by_dataset(folder))
    if ((dataset.empty() || name == dataset) && file != cells_path(folder, name)) found.push_back(file);
  std::ranges::sort(found);
  return found;
}

void store_cell(const fs::path& folder, const Cell& cell) {
  const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  const auto& [dataset, run, method] = cell.task;
  write_file(folder / "cells" / fmt::format("{}.{:019}.{}.{}.csv", dataset, now.count(), run, method),
             std::string(cell_header) + to_rows(cell));
}

// The folder itself is locked, so that no lock file stays behind. If it cannot be made, writing the record
// says why.
FolderLock::FolderLock(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  folder_ = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  int failed = -1;
  while (folder_.is_open() && (failed = ::flock(folder_.get(), LOCK_EX)) != 0 && errno == EINTR) continue;
  held_ = failed == 0;
}

std::size_t merge_cells(const fs::path& folder, const CountsCell& counts) {
  const FolderLock alone(folder);
  if (!alone.held()) {
    tell("{}: a file system without locks; cells are not merged\n", folder.string());
    return 0;
  }
  std::size_t written = 0;
  std::set<std::string> datasets;
  for (const auto& [dataset, file] : files_by_dataset(folder)) datasets.insert(dataset);
  for (const std::string& dataset : datasets) {
    const fs::path path = cells_path(folder, dataset);
    const std::vector<fs::path> left = task_files(folder, dataset);
    const CellFiles files = read_cells(folder, dataset);
    std::vector<std::string_view> parts{cell_header};
    for (const auto& [task, kept] : chosen(files, counts))
      for (const KeptCell& cell : kept) {
        parts.push_back(cell.rows);
        if (!cell.rows.ends_with('\n')) parts.emplace_back("\n");
      }
    if (!consists_of(files.texts.front(), parts)) {
      NewFile file(path);
      for (const std::string_view part : parts) file.append(part);
      file.keep();
      written += 1;
    }
    std::error_code error;
    for (const fs::path& file : left) fs::remove(file, error);
  }
  return written;
}

}  // namespace lacp
