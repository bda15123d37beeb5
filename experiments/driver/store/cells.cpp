#include "store/cells.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ranges>
#include <set>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void cannot_read(const fs::path& file) {
  user_error("{}: cannot be read: {}", file.string(), std::strerror(errno));
}

}  // namespace

CellFile::CellFile(fs::path file, const std::string& dataset)
    : file_(std::move(file)), descriptor_(::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!descriptor_.is_open()) cannot_read(file_);
  std::string prefix;  // "0,exp," of the cell that the rows before belong to
  std::multimap<Task, Place>::iterator current;
  std::size_t offset = 0, lines = 0;
  const auto add = [&](std::string_view text) {  // a row and its line break
    const std::string_view row = text.substr(0, text.find('\n'));
    if (++lines == 1) header_ = row;
    std::optional<Task> task;
    const bool first = begins_cell(row) || prefix.empty() || !row.starts_with(prefix);
    if (first && (task = task_of_row(row, dataset))) {
      current = cells_.emplace(*task, Place{offset, 0, lines});
      prefix = row.substr(0, row.find(',', row.find(',') + 1) + 1);
    }
    offset += text.size();
    // What is no row of a task is the header, or is missed by the checksum of its cell.
    if (!first || task) current->second.size = offset - current->second.offset;
  };
  std::vector<char> block(1 << 16);
  std::string text;
  for (ssize_t got = 0; (got = ::read(descriptor_.get(), block.data(), block.size())) != 0;) {
    if (got < 0 && errno != EINTR) cannot_read(file_);
    text.append(block.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    std::size_t from = 0;
    for (std::size_t end; (end = text.find('\n', from)) != std::string::npos; from = end + 1)
      add(std::string_view(text).substr(from, end + 1 - from));
    text.erase(0, from);
  }
  if (!text.empty()) add(text);
}

FoundCell CellFile::read(const Task& task, const Place& place) const {
  constexpr std::size_t most_bytes = 4 << 20;  // usual are some thousand
  FoundCell found{.source = fmt::format("{}:{}", file_.string(), place.line),
                  .rows = std::string(std::min(place.size, most_bytes), '\0')};
  std::string& text = found.rows;
  for (std::size_t filled = 0; filled < text.size();) {
    const ssize_t got = ::pread(descriptor_.get(), text.data() + filled, text.size() - filled,
                                static_cast<off_t>(place.offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(file_);
    if (got == 0) user_error("{}: became shorter while it was read", file_.string());
    filled += static_cast<std::size_t>(got);
  }
  try {
    if (place.size > most_bytes)
      user_error("{}: has {} bytes; at most {} are read", found.source, place.size, most_bytes);
    found.cell = parse_rows(task, found.rows, found.source);
  } catch (const UserError& problem) {
    found.problem = problem.what();
  }
  return found;
}

namespace {

CellFiles open_files(const fs::path& folder, const std::string& dataset,
                     const std::vector<fs::path>& workers) {
  CellFiles files(1);
  std::error_code error;
  // Workers first: what a merge takes from one of them meanwhile is in the other file by then.
  for (const fs::path& worker : workers) {
    const fs::path file = worker / (dataset + ".csv");
    try {
      if (fs::exists(file, error)) files.push_back(std::make_unique<CellFile>(file, dataset));
    } catch (const UserError&) {
      if (fs::exists(file, error)) throw;
    }
  }
  const fs::path merged = cells_path(folder, dataset);
  if (fs::exists(merged, error) || error) files[0] = std::make_unique<CellFile>(merged, dataset);
  return files;
}

}  // namespace

const CellFiles& Cells::files(const std::string& dataset) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(dataset);
  if (found != files_.end()) return found->second;
  return files_[dataset] = open_files(folder_, dataset, worker_folders(folder_));
}

std::vector<FoundCell> Cells::find(const Task& task) const {
  std::vector<FoundCell> all;
  const CellFiles& opened = files(task.dataset);
  for (std::size_t i = opened.size(); i-- > 0;) {
    if (!opened[i]) continue;
    const auto [first, last] = opened[i]->cells().equal_range(task);
    for (auto place = last; place != first;) {
      FoundCell found = opened[i]->read(task, (--place)->second);
      if (found.cell || i == 0) all.push_back(std::move(found));
    }
  }
  return all;
}

std::optional<FoundCell> Cells::newest(const Task& task) const {
  std::optional<FoundCell> damaged;
  for (FoundCell& found : find(task)) {
    if (found.cell && found.cell->failure.empty()) return std::move(found);
    if (!found.cell && !damaged) damaged = std::move(found);
  }
  return damaged;
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

// The folder itself is locked, which leaves no file behind. If it cannot be made, writing the record will say
// why.
FolderLock::FolderLock(const std::filesystem::path& folder, bool wait) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  folder_ = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.is_open()) return;
  int failed = 0;
  while ((failed = ::flock(folder_.get(), wait ? LOCK_EX : LOCK_EX | LOCK_NB)) != 0 && errno == EINTR)
    continue;
  held_ = failed == 0;
}

namespace {

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

using IsCounted = std::function<bool(const Cell&)>;

/// The cell of a task that a merge keeps.
struct KeptCell {
  const CellFile* file;
  CellFile::Place place;
  int rank;
  std::string checksum;
};

/// What is better stays. A failure by chance says nothing that is worth a cell.
int rank_of(const Cell& cell, const IsCounted& counts) {
  if (!cell.failure.empty() && cell.settings.empty()) return 1;
  if (counts(cell)) return cell.failure.empty() ? 5 : 4;
  return cell.failure.empty() ? 3 : 2;
}

/// Chooses from the files of a data set, the merged one first. What is damaged in that one stays if there is
/// nothing else.
std::map<Task, KeptCell> choose(const CellFiles& files, const IsCounted& counts) {
  std::map<Task, KeptCell> chosen;
  for (std::size_t i = 0; i < files.size(); ++i)
    for (const auto& [task, place] : files[i]->cells()) {
      const FoundCell found = files[i]->read(task, place);
      if (!found.cell && i > 0) continue;
      KeptCell choice{files[i].get(), place, found.cell ? rank_of(*found.cell, counts) : 0,
                      found.cell ? found.cell->checksum : ""};
      const auto [before, is_new] = chosen.try_emplace(task, choice);
      if (!is_new && choice.rank >= before->second.rank && choice.checksum != before->second.checksum)
        before->second = std::move(choice);
    }
  return chosen;
}

/// Writes the chosen cells, unless they are those that the first file, at `path`, has. True if it did.
bool write_chosen(const fs::path& path, const CellFiles& files, const std::map<Task, KeptCell>& chosen) {
  const bool there =
      files[0]->header() + "\n" == cell_header && chosen.size() == files[0]->cells().size() &&
      std::ranges::all_of(chosen, [&](const auto& item) { return item.second.file == files[0].get(); });
  if (there) return false;
  NewFile file(path);
  file.append(cell_header);
  for (const auto& [task, choice] : chosen) {
    const FoundCell found = choice.file->read(task, choice.place);
    file.append(found.cell ? to_rows(*found.cell) : found.rows);
    if (!found.cell && !found.rows.ends_with('\n')) file.append("\n");
  }
  file.keep();
  return true;
}

}  // namespace

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

Merged merge_cells(const fs::path& folder, const IsCounted& counts) {
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
      merged.busy += 1;
    }
  }
  std::error_code error;
  for (const std::string& dataset : datasets) {
    const fs::path path = cells_path(folder, dataset);
    if (!fs::exists(path, error)) write_file(path, cell_header);
    const CellFiles files = open_files(folder, dataset, workers);
    if (const std::string header = files[0]->header() + "\n";
        header != cell_header && header != earlier_cell_header)
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
