#include "experiment/store/cells.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>

#include "common/message.hpp"
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

/// A cell that a merge keeps.
struct KeptCell {
  std::string_view rows;  // in the text of its file
  int rank;
  std::string settings, checksum;
};

/// What is better stays. A failure by chance says nothing that is worth a cell.
int rank_of(const Cell& cell, const CountsCell& counts) {
  if (!cell.failure.empty() && cell.settings.empty()) return 1;
  if (!counts || counts(cell)) return cell.failure.empty() ? 5 : 4;
  return cell.failure.empty() ? 3 : 2;
}

/// The cells that a merge keeps of a data set's files, by task.
std::map<Task, std::vector<KeptCell>> choose(const CellFiles& files, const CountsCell& counts) {
  std::map<Task, std::vector<KeptCell>> chosen;
  for (const auto& [task, place] : files.cells()) {
    const FoundCell found = files.read(task, place);
    KeptCell choice{files.rows(place), found.cell ? rank_of(*found.cell, counts) : 0,
                    found.cell && !counts ? found.cell->settings : "",
                    found.cell ? found.cell->checksum : ""};
    std::vector<KeptCell>& kept = chosen[task];
    const auto before = std::ranges::find(kept, choice.settings, &KeptCell::settings);
    if (before == kept.end())
      kept.push_back(std::move(choice));
    else if (choice.rank >= before->rank && choice.checksum != before->checksum)
      *before = std::move(choice);
  }
  for (auto& [task, kept] : chosen)  // damaged, or failed by chance
    if (kept.size() > 1) std::erase_if(kept, [](const KeptCell& cell) { return cell.settings.empty(); });
  return chosen;
}

bool consists_of(std::string_view text, const std::vector<std::string_view>& parts) {
  for (const std::string_view part : parts) {
    if (!text.starts_with(part)) return false;
    text.remove_prefix(part.size());
  }
  return text.empty();
}

}  // namespace

const CellFiles& Cells::files(const std::string& dataset) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(dataset);
  if (found != files_.end()) return found->second;
  return files_.try_emplace(dataset, cells_path(folder_, dataset), dataset, task_files(folder_, dataset))
      .first->second;
}

const std::map<Task, FoundCell>& Cells::kept() const {
  const std::lock_guard lock(mutex_);
  if (!kept_) kept_ = read_kept(folder_);
  return *kept_;
}

std::vector<FoundCell> Cells::find(const Task& task) const {
  std::vector<FoundCell> all;
  const CellFiles& opened = files(task.dataset);
  const auto [first, last] = opened.cells().equal_range(task);
  for (auto place = last; place != first;) all.push_back(opened.read(task, (--place)->second));
  if (all.empty())
    if (const auto found = kept().find(task); found != kept().end()) all.push_back(found->second);
  return all;
}

std::optional<FoundCell> Cells::newest(const Task& task, const std::string& settings) const {
  std::optional<FoundCell> other, damaged;
  for (FoundCell& found : find(task)) {
    const bool whole = found.cell && found.cell->failure.empty();
    if (whole && (settings.empty() || found.cell->settings == settings)) return std::move(found);
    if (whole && !other) other = std::move(found);
    if (!found.cell && !damaged) damaged = std::move(found);
  }
  return other ? other : damaged;
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

// The folder itself is locked, which leaves no file. If it cannot be made, writing the record says why.
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
    tell("{}: its file system has no locks; cells stay in the files of their tasks, where they count\n",
         folder.string());
    return 0;
  }
  std::size_t written = 0;
  std::set<std::string> datasets;
  for (const auto& [dataset, file] : files_by_dataset(folder)) datasets.insert(dataset);
  for (const std::string& dataset : datasets) {
    const fs::path path = cells_path(folder, dataset);
    const CellFiles files(path, dataset, task_files(folder, dataset));
    if (files.files().empty()) continue;  // a link that leads nowhere
    const CellFiles::File& first = files.files().front();
    if (first.path == path && !files.text(first).starts_with(cell_header))
      user_error("{}: does not begin with the line '{}'; correct or remove it", path.string(),
                 trim(cell_header));
    std::vector<std::string_view> parts{cell_header};
    for (const auto& [task, kept] : choose(files, counts))
      for (const KeptCell& cell : kept) {
        parts.push_back(cell.rows);
        if (!cell.rows.ends_with('\n')) parts.push_back("\n");
      }
    if (first.path != path || !consists_of(files.text(first), parts)) {
      NewFile file(path);
      for (const std::string_view part : parts) file.append(part);
      file.keep();
      written += 1;
    }
    std::error_code error;
    for (const CellFiles::File& file : files.files())
      if (file.path != path) fs::remove(file.path, error);
  }
  return written;
}

}  // namespace lacp
