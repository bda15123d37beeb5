#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "settings/experiment.hpp"
#include "store/cell_log.hpp"
#include "store/cells.hpp"

namespace lacp {

enum class CellState {
  done,     ///< whole, and made with these settings and this data
  missing,  ///< there is none
  changed,  ///< made with other settings or other data
  damaged,  ///< not a whole cell, or the cell of another task
};

struct Failure {
  std::string reason;
  /// Hash of the settings and data that it failed with, and will again; "" if it may go well the next time.
  std::string settings;
};
using Failures = std::map<Task, Failure>;

struct CellCheck {
  CellState state = CellState::missing;
  std::string message = {};       ///< about a damaged cell: the file, what is wrong with it
  std::optional<Cell> cell = {};  ///< that is done or changed
  std::optional<Failure> failure =
      {};  ///< not done because it failed, with these settings and data or by chance
};

/// The one rule for what counts, where there are several: a cell of the task, whole, made with the
/// experiment's settings from data with this fingerprint. Where whole intervals are kept, they belong to what
/// is done.
CellCheck check_cell(const Cells& cells, const Experiment& experiment, const Task& task,
                     const std::string& fingerprint);

/// Which numbers of a cell are held in memory.
using KeepValue = std::function<bool(const Measurement&)>;

/// The same of many tasks, in their order, on all processors: checksums of thousands of cells take their
/// time. `fingerprints` is by data set.
std::vector<CellCheck> check_cells(const Cells& cells, const Experiment& experiment,
                                   const std::vector<Task>& tasks,
                                   const std::map<std::string, std::string>& fingerprints,
                                   const KeepValue& keep);

/// The same rule for a merge: whether a cell or a failure is one of the experiment's, made from data with
/// these fingerprints.
std::function<bool(const Cell&)> counting(const Experiment& experiment,
                                          const std::map<std::string, std::string>& fingerprints);

/// The result's cell, with the settings and data that it was made with.
Cell stored_cell(const Experiment& experiment, const std::string& fingerprint, const TaskResult& result);

/// Writes what a task left behind, the cell last: a task is done as soon as its cell is there.
void store_result(CellLog& log, const std::filesystem::path& folder, const Experiment& experiment,
                  const std::string& fingerprint, const TaskResult& result);

/// <folder>/intervals/<dataset>/<method>.csv: row,x,y,f,half_width,truth,sigma, and below,above where the
/// sides are unequal, in the units of the data file. `row` counts the data set's points from 1, in the order
/// of its file; x is empty where there are several attributes, truth and sigma where they are not known.
std::filesystem::path intervals_path(const std::filesystem::path& folder, const Task& task);

/// The text of that file. UserError if it is not there, or is not the one that the cell was stored with.
std::string read_intervals(const std::filesystem::path& folder, const Cell& cell);

/// Removes temporary files that a killed run left behind, if they are too old to be written right now.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace lacp
