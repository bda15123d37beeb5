#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "table/table_model.hpp"

namespace lacp {

/// Whether a cell says that nothing is known.
bool says_missing(const std::string& cell, const Columns& columns);

/// What is predicted, and how.
struct StreamOptions : TableOptions {
  std::filesystem::path model, table;
  std::string sheet = {};             ///< of a spreadsheet, by name or number; "": the first
  bool all_rows = false;              ///< the last ones, too: no total and no note is looked for among them
  std::size_t jobs = 0;               ///< threads; 0: as many as Slurm gave, or as processors
  const CsvSource* memory = nullptr;  ///< rows of a program, in place of the table
};

/// What a long table came to.
struct StreamCounts {
  std::size_t rows = 0, bad = 0, filled = 0, unseen = 0;
  std::size_t without_target = 0;              ///< rows left out
  std::size_t new_classes = 0;                 ///< rows of a class of --by that nothing calibrates
  std::map<std::string, std::size_t> changed;  ///< rows with another cell in a column that was constant
};

/// Predicts a table piece by piece, in all threads. `work` is called for each piece, in any order and thread;
/// `emit` with what it returned, in the order of the table. UserError for the first row, in that order,
/// that cannot be predicted, unless such rows are skipped.
StreamCounts stream_table(const TableModel& model, const StreamOptions& options,
                          const std::function<std::string(const TableIntervals&)>& work,
                          const std::function<void(const TableIntervals&, const std::string&)>& emit);

/// The rows of a table that have a target, as the model learns them.
struct LabelledRows {
  arma::mat X;
  arma::vec y;
  std::vector<std::size_t> lines;   ///< in the file
  std::vector<std::string> groups;  ///< their texts in the column of groups, if there is one
  StreamCounts counts;
  std::string newest_first;  ///< a column whose dates fall from row to row; "": none does

  void leave_out(const std::vector<arma::uword>& rows);
  void reverse();
};
LabelledRows read_labelled(const TableModel& model, const StreamOptions& options, const std::string& group);

/// What was filled, never seen or changed, on standard error; and what of it nobody should miss.
std::vector<std::string> warnings_of(const StreamCounts& counts, const TableModel& model);
void report_counts(const StreamCounts& counts, const TableModel& model);

}  // namespace lacp
