#pragma once

#include <string>
#include <vector>

#include "datasets/description.hpp"

namespace lacp {

/// What a person who adds a data set wants to see before an experiment reads it.
struct DatasetCheck {
  std::size_t rows = 0, attributes = 0;
  std::string text;     ///< these, what became of the columns, the target, what is strange: a line each
  std::string refusal;  ///< why an experiment would refuse the set; empty if it would not
};

/// Reads a data set as an experiment would, or generates one draw of a synthetic set (seed 1).
DatasetCheck check_dataset(const DatasetDescription& description);

struct LoadedDataset;

/// What became of the columns: "category        season: 1, 2, 3, 4".
std::vector<std::string> column_lines(const DatasetDescription& description, const LoadedDataset& loaded);

}  // namespace lacp
