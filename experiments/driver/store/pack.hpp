#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/cell.hpp"

namespace lacp {

/// Finished cells of one data set in one csv of long form, which any statistics program reads as it is:
/// run,method,metric,alpha,bin,value,settings,data,intervals,checksum, a row for each number. The last four
/// stand in the first row of each cell: they and its rows give the cell's text back, byte for byte.
///
/// A line that was changed spoils the cell it belongs to and no other.
class Pack {
 public:
  /// The rows of one cell, and in which line of the file they begin.
  struct Rows {
    std::string_view text;
    std::size_t line = 0;
  };

  Pack(std::string text, std::string dataset, std::string source);
  Pack(const Pack&) = delete;
  Pack& operator=(const Pack&) = delete;

  /// By task. More than one for a task only if a line was changed.
  const std::multimap<Task, Rows>& cells() const { return cells_; }

  bool has(const Task& task) const { return cells_.contains(task); }

  /// The text of the task's cell, and the file and line where it begins. A damaged one only if there is no
  /// other. UserError if there is none.
  CellText text(const Task& task) const;

 private:
  std::string text_, source_;
  std::multimap<Task, Rows> cells_;
};

/// The text of a cell as rows of a pack, and back. What is not such rows comes back as a text that is no
/// cell.
std::string packed_rows(const Cell& cell);
std::string unpacked_text(const Task& task, std::string_view rows);

/// <folder>/cells/<dataset>.csv
std::filesystem::path pack_path(const std::filesystem::path& folder, const std::string& dataset);

/// What packing did.
struct Packing {
  std::size_t cells = 0;                     ///< that are in a pack now and were loose before
  std::vector<std::filesystem::path> packs;  ///< that were written
  std::vector<std::string> left;             ///< why a loose cell was left as it is
};

/// Gathers the loose cells of an experiment's folder into its packs. A cell is deleted only once a pack with
/// its bytes is there, so that nothing is lost however this ends; a damaged one stays where it is.
Packing pack_cells(const std::filesystem::path& folder);

}  // namespace lacp
