#pragma once

#include <string>
#include <vector>

#include "lacp/conformal/level.hpp"

namespace lacp {

/// A number inside $...$; the powers of ten of a diverged mean must not burst the column.
std::string tex_number(double value);

/// One block of a long table: its heading, what stands above the names of its rows, and the rows.
struct TexBlock {
  std::string heading, corner;
  std::vector<std::string> rows;
};

/// A table in blocks, for \input; needs booktabs and longtable. Every level has the same columns.
struct TexTable {
  std::string command;  ///< that writes it
  std::string caption, label;
  std::vector<Level> levels;
  std::string alignment;             ///< of one level's columns, "cc"
  std::vector<std::string> columns;  ///< their names
  std::vector<TexBlock> blocks;
};

/// Pages break between blocks only, unless one is longer than a page.
std::string to_tex(const TexTable& table);

/// table_standalone.tex and the like: a document that holds nothing but `file`.
std::string standalone_tex(const std::string& file);

}  // namespace lacp
