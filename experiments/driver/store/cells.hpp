#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "store/pack.hpp"

namespace lacp {

/// The cells of one folder of results, each a file of its own or in the pack of its data set; where there are
/// both, the file counts. A pack is read once, when it is first needed. May be used from several threads.
class Cells {
 public:
  /// A folder stands for its cells.
  Cells(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }

  /// Whether there is a cell of the task, whole or not.
  bool has(const Task& task) const;

  /// The text of the cell; nothing if there is none. UserError if it cannot be read.
  std::optional<CellText> text(const Task& task) const;

  /// The cell; nothing if there is none. UserError, with the file and in a pack the line, if it is damaged or
  /// that of another task.
  std::optional<Cell> read(const Task& task) const;

 private:
  struct Opened {
    std::shared_ptr<const Pack> pack;
    std::filesystem::file_time_type written;
  };
  std::shared_ptr<const Pack> pack_with(const Task& task) const;

  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Opened> packs_;  ///< by data set
};

}  // namespace lacp
