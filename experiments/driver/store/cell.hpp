#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/experiment.hpp"

namespace lacp {

/// One number of a cell: a metric, the level it belongs to ("" for none), a bin from 1 where a metric has
/// several values (0 for none), and the value, not NaN, written so that reading it back gives the same bits.
struct Measurement {
  std::string metric;
  std::string alpha;
  std::size_t bin = 0;
  double value = 0.0;
};

/// What a finished task left: its numbers, or why there are none.
struct Cell {
  Task task;
  std::string settings;  ///< SHA-256 of every setting that the task depends on; "": see `failure`
  std::string data;      ///< fingerprint of the data
  std::vector<Measurement> values;
  std::string intervals = {};  ///< SHA-256 of the file of whole intervals; "" where none is kept
  /// Why the task failed; "" if it did not. With its settings and data it will fail again; without, as on a
  /// full disk, it may go well the next time.
  std::string failure = {};

  std::string checksum = {};  ///< as it was read; "" in one that is new

  // What follows differs between two runs of the same work, and the checksum is not of it.
  std::string commit = {};             ///< of the program
  std::optional<double> seconds = {};  ///< of one thread

  /// The value, or nothing if the cell does not have it.
  std::optional<double> value(std::string_view metric, std::string_view alpha = "",
                              std::size_t bin = 0) const;
};

/// What one task leaves behind.
struct TaskResult {
  Cell cell;              ///< without its `settings` and `data`, which the store knows
  std::string intervals;  ///< csv of the whole intervals where the experiment keeps them; else ""
};

/// Everything that a cell's checksum is of, as text: comment lines with task, settings, data, intervals and
/// failure, then csv rows metric,alpha,bin,value.
std::string to_text(const Cell& cell);

/// SHA-256 of that text.
std::string checksum_of(const Cell& cell);

/// The first line of a file of cells, and that of a file which an earlier version wrote: it says less.
inline constexpr std::string_view cell_header =
    "run,method,metric,alpha,bin,value,settings,data,intervals,checksum,commit,seconds,failure\n";
inline constexpr std::string_view earlier_cell_header =
    "run,method,metric,alpha,bin,value,settings,data,intervals,checksum\n";

/// A cell as rows of a csv of long form, one for each number, which any statistics program reads as it is.
/// What belongs to the whole cell stands in the first; a failure is one row without a number.
std::string to_rows(const Cell& cell);

/// And back. UserError, naming the source, if these are not the whole, undamaged rows of the task's cell.
Cell parse_rows(const Task& task, std::string_view rows, const std::string& source);

/// The same with any checksum, for saying what differs; nothing if they are no rows at all.
std::optional<Cell> parse_damaged_rows(const Task& task, std::string_view rows);

/// The task that a row belongs to; nothing if it is none, as the header.
std::optional<Task> task_of_row(std::string_view row, const std::string& dataset);

/// Whether it is the first of its cell, the one that has the checksum.
bool begins_cell(std::string_view row);

}  // namespace lacp
