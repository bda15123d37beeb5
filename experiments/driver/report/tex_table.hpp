#pragma once

#include <string>
#include <vector>

#include "lacp/base/level.hpp"

namespace lacp {

/// One block of a long table in LaTeX: its heading, what stands above the names of its rows, and the rows.
struct TexBlock {
  std::string heading, corner;
  std::vector<std::string> rows = {};
};

/// A table in blocks, for \input; needs booktabs and longtable. Every level has the same columns.
struct TexTable {
  std::string command;  ///< that writes it
  std::string caption, label;
  std::vector<Level> levels;
  std::string alignment;             ///< of one level's columns, "cc"
  std::vector<std::string> columns;  ///< their names
  std::vector<TexBlock> blocks = {};
};

/// Pages break between blocks only, unless one is longer than a page.
std::string to_tex(const TexTable& table);

}  // namespace lacp
