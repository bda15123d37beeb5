#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "lacp/table/table_model.hpp"

namespace lacp {

/// What is predicted, and how.
struct StreamOptions : TableOptions {
  std::filesystem::path model, table;
  std::string sheet = {};  ///< of a spreadsheet, by name or number; "": the first
  bool all_rows = false;   ///< the last ones, too: no total and no note is looked for among them
  std::size_t jobs = 0;    ///< threads; 0: as many as Slurm gave, or as processors
};

/// What a long table came to.
struct StreamCounts {
  std::size_t rows = 0, bad = 0, filled = 0, unseen = 0, compared = 0, of_fit = 0;
  std::size_t without_target = 0;  ///< rows left out
  std::size_t new_classes = 0;     ///< rows of a class of --by that nothing calibrates
};

/// Predicts a table piece by piece, in all threads. `work` is called for each piece, in any order and thread;
/// `hand_on` with what it returned, in the order of the table. UserError for the first row, in that order,
/// that cannot be predicted, unless such rows are skipped.
StreamCounts stream_table(const TableModel& model, const StreamOptions& options,
                          const std::function<std::string(const TableIntervals&)>& work,
                          const std::function<void(const TableIntervals&, const std::string&)>& hand_on);

/// The rows of a table that have a target, as the model learns them.
struct LabelledRows {
  arma::mat X;
  arma::vec y;
  std::vector<std::size_t> lines;   ///< in the file
  std::vector<std::string> groups;  ///< their texts in the column of groups, if there is one
  StreamCounts counts;
  std::string newest_first;  ///< a column whose dates fall from row to row; "": none does

  void leave_out(const std::vector<arma::uword>& rows);
  void turn_round();
};
LabelledRows read_labelled(const TableModel& model, const StreamOptions& options, const std::string& group);

/// The same for doubles of this machine on standard input: row by row, those of the model's columns, which
/// are all numbers. `hand_on` gets as many rows of the prediction and the ends of each level, lower and
/// upper. UserError for a row that cannot be predicted.
void stream_doubles(const TableModel& model, std::size_t jobs,
                    const std::function<void(const std::string&)>& hand_on);

/// What was filled and never seen, and how a logarithm is turned back, on standard error.
void report_counts(const StreamCounts& counts, const TableModel& model);

}  // namespace lacp
