#include "store/cell_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "store/cells.hpp"

namespace lacp {
namespace fs = std::filesystem;
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

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
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

using Files = std::vector<std::unique_ptr<CellFile>>;
using Counts = std::function<bool(const Cell&)>;

/// The cell of a task that a merge keeps.
struct Choice {
  const CellFile* file;
  CellFile::Place place;
  int rank;
  std::string checksum;
};

/// What is better stays. A failure by chance says nothing that is worth a cell.
int rank_of(const Cell& cell, const Counts& counts) {
  if (!cell.failure.empty() && cell.settings.empty()) return 1;
  if (counts(cell)) return cell.failure.empty() ? 5 : 4;
  return cell.failure.empty() ? 3 : 2;
}

/// Chooses from the files of a data set, the merged one first. What is damaged in that one stays if there is
/// nothing else.
std::map<Task, Choice> choose(const Files& files, const Counts& counts) {
  std::map<Task, Choice> chosen;
  for (std::size_t i = 0; i < files.size(); ++i)
    for (const auto& [task, place] : files[i]->cells()) {
      const FoundCell found = files[i]->read(task, place);
      if (!found.cell && i > 0) continue;
      Choice choice{files[i].get(), place, found.cell ? rank_of(*found.cell, counts) : 0,
                    found.cell ? found.cell->checksum : ""};
      const auto [before, is_new] = chosen.try_emplace(task, choice);
      if (!is_new && choice.rank >= before->second.rank && choice.checksum != before->second.checksum)
        before->second = std::move(choice);
    }
  return chosen;
}

/// Writes the chosen cells, unless they are those that the first file, at `path`, has. True if it did.
bool write_chosen(const fs::path& path, const Files& files, const std::map<Task, Choice>& chosen) {
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

Merged merge_cells(const fs::path& folder, const Counts& counts) {
  Merged merged;
  const FolderLock alone(folder);
  std::vector<std::pair<fs::path, FolderLock>> workers;
  std::set<std::string> datasets = datasets_in(folder / "cells");
  for (const fs::path& worker : worker_folders(folder)) {
    FolderLock lock(worker, false);
    if (lock.held()) {
      datasets.merge(datasets_in(worker));
      workers.emplace_back(worker, std::move(lock));
    } else {
      merged.busy += 1;
    }
  }
  std::error_code error;
  for (const std::string& dataset : datasets) {
    const fs::path path = cells_path(folder, dataset);
    if (!fs::exists(path, error)) write_file(path, cell_header);
    Files files;
    files.push_back(std::make_unique<CellFile>(path, dataset));
    if (const std::string header = files[0]->header() + "\n";
        header != cell_header && header != earlier_cell_header)
      user_error("{}: does not begin with the line '{}'; correct or remove it", path.string(),
                 trim(cell_header));
    for (const auto& [worker, lock] : workers)
      if (const fs::path log = worker / path.filename(); fs::exists(log, error))
        files.push_back(std::make_unique<CellFile>(log, dataset));
    merged.files += write_chosen(path, files, choose(files, counts)) ? 1 : 0;
  }
  for (const auto& [worker, lock] : workers) {
    for (const std::string& dataset : datasets_in(worker)) fs::remove(worker / (dataset + ".csv"), error);
    fs::remove(worker, error);
  }
  return merged;
}

}  // namespace lacp
