#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "settings/task.hpp"

namespace lacp {

/// One number of a cell: a metric, the level it belongs to ("" for none), a bin from 1 where a metric has
/// several values (0 for none), and the value, not NaN, written so that reading it back gives the same bits.
struct Measurement {
  std::string metric;
  std::string alpha;
  std::size_t bin = 0;
  double value = 0.0;
};

/// The result of one finished task. Holds nothing that differs between two runs of the same work.
struct Cell {
  Task task;
  std::string settings;  ///< SHA-256 of every setting that the task depends on
  std::string data;      ///< fingerprint of the data
  std::vector<Measurement> values;
  std::string intervals = {};  ///< SHA-256 of the file of whole intervals; "" where none is kept
  std::string checksum = {};   ///< of its text, if it was read from one

  /// The value, or nothing if the cell does not have it.
  std::optional<double> value(std::string_view metric, std::string_view alpha = "",
                              std::size_t bin = 0) const;
};

/// The text of a cell as it was found, whole or not.
struct CellText {
  std::string text;
  std::string source;  ///< its file, and in a pack the line where it begins
};

/// What one task leaves behind.
struct TaskResult {
  Cell cell;              ///< without its `settings` and `data`, which the store knows
  std::string intervals;  ///< csv of the whole intervals where the experiment keeps them; else ""
};

/// A cell as text, and back: comment lines with format version, task, settings, data and intervals, then csv
/// rows metric,alpha,bin,value, then a comment line with the SHA-256 of everything above it.
std::string to_text(const Cell& cell);

/// The same from its head, with the checksum that this has, and its rows as lines.
std::string cell_text(const Cell& head, std::string_view rows);

/// One row as it stands in a cell, without its line break.
std::string to_text(const Measurement& measurement);

/// UserError if the text is not a whole, undamaged cell of this format.
Cell parse_cell(std::string_view text, const std::string& source_name);

/// results/<experiment>/cells/<dataset>/<run>/<method>.csv below the experiment's folder.
std::filesystem::path cell_path(const std::filesystem::path& experiment_folder, const Task& task);

}  // namespace lacp
