#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "store/cell.hpp"
#include "store/lock.hpp"

namespace lacp {

// The cells of a folder of results lie in <folder>/cells/<dataset>.csv. A worker, that is one call of `lacp
// run`, appends what it finishes to <folder>/cells/<worker>/<dataset>.csv, which no other process writes
// (cell_log.hpp); a merge brings the two together. Whoever reads takes in both.

/// <folder>/cells/<dataset>.csv
std::filesystem::path cells_path(const std::filesystem::path& folder, const std::string& dataset);

/// The folders of workers, the oldest first.
std::vector<std::filesystem::path> worker_folders(const std::filesystem::path& folder);

/// What was found of a task.
struct FoundCell {
  std::string source;             ///< file:line
  std::string rows;               ///< as they stand there
  std::optional<Cell> cell = {};  ///< if they are whole
  std::string problem = {};       ///< if not
};

/// One csv of cells. It is looked through once, for where each cell begins; cells are read when asked for.
/// Open, it stays as it was found, whatever becomes of the file. May be used from several threads.
///
/// A line that was changed spoils the cell it belongs to and no other.
class CellFile {
 public:
  struct Place {
    std::size_t offset = 0, size = 0, line = 0;
  };

  /// UserError if the file cannot be read.
  CellFile(std::filesystem::path file, const std::string& dataset);

  /// By task; of one task in the order of the file.
  const std::multimap<Task, Place>& cells() const { return cells_; }
  FoundCell read(const Task& task, const Place& place) const;

  const std::string& header() const { return header_; }  ///< its first line

 private:
  std::filesystem::path file_;
  std::string header_;
  Descriptor descriptor_;
  std::multimap<Task, Place> cells_;
};

/// The cells of one folder of results, as they are when a data set is first asked for. May be used from
/// several threads.
class Cells {
 public:
  /// A folder stands for its cells.
  Cells(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }

  /// All that there is of the task, failures included, the newest first. What a worker was killed in the
  /// middle of is not there.
  std::vector<FoundCell> find(const Task& task) const;

  /// The newest that has numbers, or was damaged; nothing if there is none.
  std::optional<FoundCell> newest(const Task& task) const;

  /// The newest whole cell with numbers; nothing if there is none. UserError if there are only damaged ones.
  std::optional<Cell> read(const Task& task) const;

 private:
  struct Files {
    std::unique_ptr<CellFile> merged;
    std::vector<std::unique_ptr<CellFile>> logs;  ///< the oldest first
  };
  const Files& files(const std::string& dataset) const;

  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Files> files_;  ///< by data set
};

}  // namespace lacp
