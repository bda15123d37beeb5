#pragma once

#include <functional>
#include <string>

#include "lacp/base/error.hpp"
#include "work/model_commands.hpp"

namespace lacp {

struct TableIntervals;
class TableModel;

/// The file is damaged, whatever its rows are.
struct DamagedTable : UserError {
  using UserError::UserError;
};

/// What a long table came to.
struct StreamCounts {
  std::size_t rows = 0, bad = 0, filled = 0, unseen = 0;
};

/// Predicts a table piece by piece, in all threads. `work` is called for each piece, in any order and thread;
/// `hand_on` with what it returned, in the order of the table. UserError for the first row, in that order,
/// that cannot be predicted, unless such rows are skipped.
StreamCounts stream_table(const TableModel& model, const PredictRequest& request, bool target,
                          const std::function<std::string(const TableIntervals&)>& work,
                          const std::function<void(const TableIntervals&, const std::string&)>& hand_on);

/// What was filled and never seen, on standard error.
void report_counts(const StreamCounts& counts);

}  // namespace lacp
