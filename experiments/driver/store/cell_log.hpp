#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "store/cell.hpp"
#include "store/lock.hpp"

namespace lacp {

/// Where a worker appends what it finishes. The folder is locked as long as this lives, which tells others
/// that the worker does. May be used from several threads.
class CellLog {
 public:
  /// `start`: when, which orders the workers. The caller holds the lock of `folder`. RunError if the worker's
  /// folder cannot be made.
  CellLog(const std::filesystem::path& folder, const std::string& start);
  ~CellLog();

  /// Appends the cell and returns once it is on the disk. RunError if it cannot be; then nothing of it is
  /// left.
  void append(const Cell& cell);

 private:
  struct File {
    Descriptor descriptor;
    bool torn = false;  ///< the last row may be incomplete
  };

  std::filesystem::path folder_;
  FolderLock lock_;
  std::mutex mutex_;
  std::map<std::string, File> files_;  ///< by data set
};

/// What a merge did.
struct Merged {
  std::size_t files = 0;  ///< that were written
  std::size_t busy = 0;   ///< workers that are still at work; what they did stays with them
};

/// Brings what workers left into one file per data set, with one cell for each task: one that counts before
/// one that does not, numbers before a failure, a new one before an old one, unless they differ in nothing
/// but how they came to be. Nothing is lost, however this ends. UserError for a file that is not of cells.
Merged merge_cells(const std::filesystem::path& folder, const std::function<bool(const Cell&)>& counts);

}  // namespace lacp
