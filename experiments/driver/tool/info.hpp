#pragma once

#include <filesystem>
#include <span>

#include "lacp/table/table_model.hpp"

namespace lacp {

struct InfoOptions {
  std::filesystem::path model;
  bool json = false;
};

/// Prints what a model was fitted for. Returns the exit code.
int show_info(const InfoOptions& options);

/// What `lacp info --json` prints of a model in this file, which `lacp fit --json` has, too.
std::string info_json(const std::string& file, const TableModel& model);

/// How the classes of --by are calibrated, a sentence each; and what is different at some of these levels:
/// classes that have too few rows for one, and those whose intervals are infinite there.
std::vector<std::string> class_lines(const TableModel& model);
std::vector<std::string> class_lines_at(const TableModel& model, std::span<const Level> levels,
                                        Ends ends = Ends::both);
std::string classes_json(const TableModel& model);

/// What the training rows chose for the ends of `forest`, or "": "errors, leaves of 20; a quarter of the
/// forest of values, leaves of 5". Of several folds what most of them chose.
std::string ends_text(const FitReport& report);

std::string column_json(const Column& column);  ///< of what `fit` and `info` print

}  // namespace lacp
