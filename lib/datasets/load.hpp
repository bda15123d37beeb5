#pragma once

#include "datasets/description.hpp"
#include "lacp/base/random.hpp"
#include "table/columns.hpp"

namespace lacp {

/// A regression data set in memory.
struct Dataset {
  std::string name;
  arma::mat X;                          ///< d × N: one column per observation
  arma::vec y;                          ///< N targets
  std::vector<std::string> attributes;  ///< names of the d rows of X
  std::string fingerprint;              ///< SHA-256 of the data file, or of the parameters of a synthetic set
  std::size_t filled = 0;  ///< cells of the file that hold nothing and are NaN in X, to be filled with means
  arma::vec sigma;         ///< synthetic sets: the noise level σ(x) of each observation; else empty
  arma::vec truth;  ///< synthetic sets: f_true(x) of each observation, so y = truth + σ ξ; else empty
};

/// Of a fifth of the rows, N of which calibrate, ⌈(N + 1)(1 − α)⌉ ≤ N at α = 0.05 takes N ≥ 19.
constexpr std::size_t fewest_rows = 100, fewest_rows_to_fit = 20;

/// Reads a data set from its file, checks it against its description and returns it. UserError if the file is
/// missing (the message says which command gets it), if it is not the file that the description means, or
/// if its content is not a regression data set: see fit_columns, refuse_means and refuse_unusable.
Dataset load_dataset(const DatasetDescription& description);

/// UserError if a column is read by the mean of the target: an experiment would need it for each split.
void refuse_means(const DatasetDescription& description);
/// UserError if there are fewer rows than these, or the target is the same in all of them.
void refuse_unusable(const DatasetDescription& description, const arma::vec& y, std::size_t least_rows);

/// A data set, and how it came about.
struct LoadedDataset {
  Dataset data;
  Columns columns;                  ///< fitted
  CsvFormat format;                 ///< as described; with the names of the columns if the table has none
  EncodedTable table;               ///< without X and y, which `data` has
  std::vector<std::string> groups;  ///< of load_for_fit: the text of each row in the column of groups
};

/// The same for a model of the table: columns with missing cells are dropped later (DropColumns). `group`: a
/// column whose cells say which rows belong together, an empty one that a row belongs to no other; it is not
/// an attribute unless the description says so under columns.use. "": there is none.
LoadedDataset load_for_fit(const DatasetDescription& description, const std::string& group = "");

/// The same of a table that is in memory, whose description knows its columns.
LoadedDataset load_for_fit(const DatasetDescription& description, const CsvSource& table,
                           const std::string& group);

/// The same for a look at a doubtful file: neither the number of rows nor a constant target is refused.
LoadedDataset load_for_check(const DatasetDescription& description);

/// A table as a file has it: as it is, unpacked, or converted from a spreadsheet.
struct TableBytes {
  std::string text;
  std::size_t sheet = 0;  ///< of a spreadsheet, from 1
  std::string note = {};  ///< about other sheets
};
/// `sheet`: name or number of the one to read; "": the first that is not hidden. UserError if there is no
/// such sheet, or if the file is not what its name says.
TableBytes table_in(const std::filesystem::path& file, const std::string& sheet);

/// A fresh draw of a synthetic set: w, then all x, then all ξ come from the stream. Rows of X: 1, x, x².
Dataset generate_synthetic(const DatasetDescription& description, Stream& stream);

}  // namespace lacp
