#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiment.hpp"
#include "task.hpp"

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

/// <folder>/intervals/<dataset>/<method>.csv: x,y,f,half_width,truth,sigma, all in the units of the data
/// file.
std::filesystem::path intervals_path(const std::filesystem::path& folder, const Task& task);

/// Why tasks failed: <folder>/failures.csv with dataset,run,method,reason. No file: nothing failed. Reading
/// takes in what the workers of shards keep in <folder>/shards/*.
using Failures = std::map<Task, std::string>;
Failures read_failures(const std::filesystem::path& folder);
void write_failures(const std::filesystem::path& folder, const Failures& failures);

/// How many seconds each task took: <folder>/times.csv with dataset,run,method,seconds. Rows of tasks that
/// are not among `times` stay.
void add_times(const std::filesystem::path& folder, const std::map<Task, double>& times);
std::map<Task, double> read_times(const std::filesystem::path& folder);

/// Removes failures.csv and times.csv.
void remove_rows(const std::filesystem::path& folder);

/// A field of a csv: in quotes and on one line, whatever the text holds.
std::string csv_quoted(std::string_view text);

/// Removes temporary files that a killed run left behind, if they are too old to be written right now.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace lacp
