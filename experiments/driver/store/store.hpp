#pragma once

#include <filesystem>
#include <string>

#include "settings/experiment.hpp"
#include "store/cell.hpp"

namespace lacp {

enum class CellState {
  done,     ///< whole, and made with these settings and this data
  missing,  ///< no file
  changed,  ///< made with other settings or other data
  damaged,  ///< not a whole cell, or the cell of another task
};

struct CellCheck {
  CellState state = CellState::missing;
  std::string message;  ///< about a damaged cell: the file, what is wrong with it
};

/// Whether a task needs to be done. Where whole intervals are kept, they belong to what is done.
CellCheck check_cell(const std::filesystem::path& folder, const Experiment& experiment, const Task& task,
                     const std::string& fingerprint);

/// Writes what a task left behind, the cell last: a task is done as soon as its cell is there.
void store_result(const std::filesystem::path& folder, const Experiment& experiment,
                  const std::string& fingerprint, TaskResult result);

/// <folder>/intervals/<dataset>/<method>.csv: row,x,y,f,half_width,truth,sigma, in the units of the data
/// file. `row` counts the data set's points from 1, in the order of its file; x is empty where there are
/// several attributes, truth and sigma where they are not known.
std::filesystem::path intervals_path(const std::filesystem::path& folder, const Task& task);

/// The text of that file. UserError if it is not there, or is not the one that the cell was stored with.
std::string read_intervals(const std::filesystem::path& folder, const Cell& cell);

/// Removes temporary files that a killed run left behind, if they are too old to be written right now.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace lacp
