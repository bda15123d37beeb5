#pragma once

#include <string>
#include <vector>

#include "datasets/description.hpp"
#include "lacp/data/csv_cells.hpp"

namespace lacp {

/// An attribute with whole numbers that differ in the file and are the same double: identifiers of 17 digits,
/// say.
struct BlurredColumn {
  std::string name;
  std::size_t numbers = 0, doubles = 0;  ///< how many different ones
};

/// What a person who adds a data set wants to see before an experiment reads it.
struct DatasetCheck {
  std::size_t rows = 0;
  std::size_t attributes = 0;
  double target_min = 0;
  double target_mean = 0;
  double target_max = 0;
  std::vector<std::string> constants;  ///< attributes with one value in every row
  std::vector<BlurredColumn> blurred;
  std::size_t duplicates = 0;        ///< rows that repeat an earlier one, target included
  std::vector<std::string> columns;  ///< what became of them: "category        season: 1, 2, 3, 4"
  CsvMissing missing;                ///< cells that hold nothing, where that is refused
  std::string refusal;               ///< why an experiment would refuse the set; empty if it would not
};

/// Reads a data set as an experiment would, or generates one draw of a synthetic set (seed 1).
DatasetCheck check_dataset(const DatasetDescription& description);

struct LoadedDataset;

/// What became of the columns, as `DatasetCheck::columns`.
std::vector<std::string> column_lines(const DatasetDescription& description, const LoadedDataset& loaded);

/// The findings as lines of text.
std::string check_text(const DatasetDescription& description, const DatasetCheck& check);

}  // namespace lacp
