#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "lacp/conformal/table_model.hpp"

namespace lacp {

/// What is predicted, and how.
struct StreamOptions : TableOptions {
  std::filesystem::path model, table;
  std::size_t jobs = 0;  ///< threads; 0: as many as Slurm gave, or as processors
};

/// What a long table came to.
struct StreamCounts {
  std::size_t rows = 0, bad = 0, filled = 0, unseen = 0, compared = 0, of_fit = 0;
};

/// Predicts a table piece by piece, in all threads. `work` is called for each piece, in any order and thread;
/// `hand_on` with what it returned, in the order of the table. UserError for the first row, in that order,
/// that cannot be predicted, unless such rows are skipped.
StreamCounts stream_table(const TableModel& model, const StreamOptions& options,
                          const std::function<std::string(const TableIntervals&)>& work,
                          const std::function<void(const TableIntervals&, const std::string&)>& hand_on);

/// What was filled and never seen, and how a logarithm is turned back, on standard error.
void report_counts(const StreamCounts& counts, const TableModel& model);

}  // namespace lacp
