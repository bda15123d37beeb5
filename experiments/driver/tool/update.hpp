#pragma once

#include "tool/table_stream.hpp"

namespace lacp {

struct UpdateOptions : StreamOptions {
  std::filesystem::path output;
  std::string known, group, sides;
  bool instead = false, dry_run = false;
  std::uint64_t window = 0;
};

/// Writes the model that new rows calibrate, too, and says what became of it. Returns the exit code.
int update_model(const UpdateOptions& options);

/// Of each row the number of its unit, which is its group, or itself: units are counted as they come.
std::vector<std::size_t> unit_numbers(const LabelledRows& rows);

/// Instead of that: says what it would have done for the newest rows, calibrated by those before them
/// (update_trial.cpp).
int try_update(const TableModel& model, const LabelledRows& rows, const LocalPredictor::NewRows& how);

}  // namespace lacp
