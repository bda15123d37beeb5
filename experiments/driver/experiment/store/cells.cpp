#include "experiment/store/cells.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

CellFiles open_files(const fs::path& folder, const std::string& dataset,
                     const std::vector<fs::path>& workers) {
  CellFiles files(1);
  std::error_code error;
  // Workers first: what a merge takes from one of them meanwhile is in the other file by then.
  for (const fs::path& worker : workers) {
    const fs::path file = worker / (dataset + ".csv");
    try {
      if (fs::exists(file, error)) files.emplace_back(file, dataset);
    } catch (const UserError&) {
      if (fs::exists(file, error)) throw;
    }
  }
  const fs::path merged = cells_path(folder, dataset);
  if (fs::exists(merged, error) || error) files[0] = CellFile(merged, dataset);
  return files;
}

/// A folder that no other worker has: named after when, where and by which process.
fs::path new_worker_folder(const fs::path& folder, std::string start) {
  std::erase(start, ':');
  char host[65] = "host";
  ::gethostname(host, sizeof host - 1);
  std::error_code error;
  fs::create_directories(folder / "cells", error);
  for (int i = 0;; ++i) {
    const fs::path worker = folder / "cells" / fmt::format("{}-{}-{}-{}", start, host, ::getpid(), i);
    const bool is_new = fs::create_directory(worker, error);
    if (error) run_error("{}: the folder cannot be made: {}", worker.string(), error.message());
    if (is_new) return worker;
  }
}

/// The data sets that have a file in a folder.
std::set<std::string> datasets_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (const fs::path& file = entry.path();
        file.extension() == ".csv" && !file.filename().string().starts_with('.'))
      names.insert(file.stem().string());
  return names;
}

/// A cell that a merge keeps.
struct KeptCell {
  const CellFile* file;
  CellFile::Place place;
  int rank;
  std::string settings, checksum;
};
using KeptCells = std::map<Task, std::vector<KeptCell>>;

/// What is better stays. A failure by chance says nothing that is worth a cell.
int rank_of(const Cell& cell, const CountsCell& counts) {
  if (!cell.failure.empty() && cell.settings.empty()) return 1;
  if (!counts || counts(cell)) return cell.failure.empty() ? 5 : 4;
  return cell.failure.empty() ? 3 : 2;
}

/// Chooses from a data set's files, the merged one first: what is damaged there stays if nothing else is.
KeptCells choose(const CellFiles& files, const CountsCell& counts) {
  KeptCells chosen;
  for (std::size_t i = 0; i < files.size(); ++i)
    for (const auto& [task, place] : files[i].cells()) {
      const FoundCell found = files[i].read(task, place);
      if (!found.cell && i > 0) continue;
      KeptCell choice{&files[i], place, found.cell ? rank_of(*found.cell, counts) : 0,
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

/// Writes the chosen cells, unless they are those that the first file, at `path`, has. True if it did.
bool write_chosen(const fs::path& path, const CellFiles& files, const KeptCells& chosen) {
  std::size_t there = 0, more = 0;  // cells of the first file that stay, and others
  for (const auto& [task, kept] : chosen)
    for (const KeptCell& cell : kept) ++(cell.file == files.data() ? there : more);
  if (more == 0 && there == files[0].cells().size()) return false;
  NewFile file(path);
  file.append(cell_header);
  for (const auto& [task, kept] : chosen)
    for (const KeptCell& cell : kept) {
      const FoundCell found = cell.file->read(task, cell.place);
      file.append(found.cell ? to_rows(*found.cell) : found.rows);
      if (!found.cell && !found.rows.ends_with('\n')) file.append("\n");
    }
  file.keep();
  return true;
}

}  // namespace

const CellFiles& Cells::files(const std::string& dataset) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(dataset);
  if (found != files_.end()) return found->second;
  return files_[dataset] = open_files(folder_, dataset, worker_folders(folder_));
}

const std::map<Task, FoundCell>& Cells::kept() const {
  const std::lock_guard lock(mutex_);
  if (!kept_) kept_ = read_kept(folder_);
  return *kept_;
}

std::vector<FoundCell> Cells::find(const Task& task) const {
  std::vector<FoundCell> all;
  const CellFiles& opened = files(task.dataset);
  for (std::size_t i = opened.size(); i-- > 0;) {
    const auto [first, last] = opened[i].cells().equal_range(task);
    for (auto place = last; place != first;) {
      FoundCell found = opened[i].read(task, (--place)->second);
      if (found.cell || i == 0) all.push_back(std::move(found));
    }
  }
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

std::vector<fs::path> worker_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "cells", error))
    if (entry.is_directory(error)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

// The folder itself is locked, which leaves no file. If it cannot be made, writing the record says why.
FolderLock::FolderLock(const fs::path& folder, bool wait) {
  std::error_code error;
  fs::create_directories(folder, error);
  folder_ = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.is_open()) return;
  int failed = 0;
  while ((failed = ::flock(folder_.get(), wait ? LOCK_EX : LOCK_EX | LOCK_NB)) != 0 && errno == EINTR)
    continue;
  held_ = failed == 0;
  busy_ = failed != 0 && errno == EWOULDBLOCK;
}

CellLog::CellLog(const fs::path& folder, const std::string& start)
    : folder_(new_worker_folder(folder, start)), lock_(folder_, false) {}

CellLog::~CellLog() {
  std::error_code error;
  if (files_.empty()) fs::remove(folder_, error);
}

void CellLog::append(const Cell& cell) {
  const std::lock_guard guard(mutex_);
  const fs::path path = folder_ / (cell.task.dataset + ".csv");
  const auto fail = [&](const char* step) {
    run_error("{}: {} failed: {}", path.string(), step, std::strerror(errno));
  };
  File& file = files_[cell.task.dataset];
  if (!file.descriptor.is_open()) {
    file.descriptor = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!file.descriptor.is_open()) fail("opening");
    for (const fs::path& place : {folder_, folder_.parent_path()})  // the names, too, survive a power cut
      if (const Descriptor opened(::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
          opened.is_open())
        ::fsync(opened.get());
  }
  const int descriptor = file.descriptor.get();
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail("reading");
  std::string text(status.st_size == 0 ? cell_header : file.torn ? "\n" : "");
  text += to_rows(cell);
  if (!write_all(descriptor, text) || ::fsync(descriptor) != 0) {
    const int reason = errno;
    file.torn = ::ftruncate(descriptor, status.st_size) != 0;
    errno = reason;
    fail("writing");
  }
  file.torn = false;
}

std::string Merged::left_text() const {
  std::string text;
  if (busy > 0) text = fmt::format(", {} still at work", counted(busy, "worker"));
  if (unknown > 0)
    text += fmt::format(
        ", {} with cells of their own, which count: the file system has no locks that tell whether they are still at work",
        counted(unknown, "worker"));
  return text;
}

Merged merge_cells(const fs::path& folder, const CountsCell& counts) {
  Merged merged;
  const FolderLock alone(folder);
  std::vector<fs::path> workers;
  std::vector<FolderLock> locks;
  std::set<std::string> datasets = datasets_in(folder / "cells");
  for (const fs::path& worker : worker_folders(folder)) {
    FolderLock lock(worker, false);
    if (lock.held()) {
      datasets.merge(datasets_in(worker));
      workers.push_back(worker);
      locks.push_back(std::move(lock));
    } else {
      (lock.is_busy() ? merged.busy : merged.unknown) += 1;
    }
  }
  std::error_code error;
  for (const std::string& dataset : datasets) {
    const fs::path path = cells_path(folder, dataset);
    if (!fs::exists(path, error)) write_file(path, cell_header);
    const CellFiles files = open_files(folder, dataset, workers);
    if (files[0].header() + "\n" != cell_header)
      user_error("{}: does not begin with the line '{}'; correct or remove it", path.string(),
                 trim(cell_header));
    merged.files += write_chosen(path, files, choose(files, counts)) ? 1 : 0;
  }
  for (const fs::path& worker : workers) {
    for (const std::string& dataset : datasets_in(worker)) fs::remove(worker / (dataset + ".csv"), error);
    fs::remove(worker, error);
  }
  return merged;
}

}  // namespace lacp
