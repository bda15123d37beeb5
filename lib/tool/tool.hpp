// The commands demo, info and update, and what several commands say of a model.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>

#include "table/table_model.hpp"
#include "tool/table_stream.hpp"

namespace lacp {

struct DemoOptions {
  std::filesystem::path figure;
};

/// Shows the tool on a table that the program has. Returns the exit code.
int run_demo(const DemoOptions& options);

struct UpdateOptions : StreamOptions {
  std::filesystem::path output;
  std::string group, sides;
  bool instead = false;
  std::uint64_t window = 0;
};

/// The model that rows calibrate, too. Rows that cannot are left out, or refused; `warn` gets what a person
/// should know besides.
TableModel calibrated_by(const TableModel& model, LabelledRows& rows, const UpdateOptions& options,
                         const std::function<void(const std::string&)>& warn);

/// Writes that model, and says what became of it. Returns the exit code.
int update_model(const UpdateOptions& options);

struct InfoOptions {
  std::filesystem::path model;
  bool json = false;
};

/// Prints what a model was fitted for. Returns the exit code.
int show_info(const InfoOptions& options);

/// What `lacp info --json` prints of a model in this file, which `lacp fit --json` has, too.
std::string info_json(const std::string& file, const TableModel& model);

/// At which of these coverages some intervals (or bounds) are infinite, and how many rows would do: a line
/// each.
std::vector<std::string> infinite_lines(const TableModel& model, std::span<const Level> levels,
                                        Ends ends = Ends::both);

/// The range in which the covered share of rows of these classes of --by (place in predictor().classes() →
/// rows) lies nineteen times of twenty, or more often. None where nothing says how much it varies: for rows
/// that belong together, and for a method with several quantiles.
std::optional<std::pair<double, double>> expected_in(const TableModel& model,
                                                     const std::map<std::size_t, std::size_t>& rows,
                                                     const Level& level);

/// Shares of 1 as exact decimals, each once: 0.95, or 95 for percent. `option` is what was given.
std::vector<Level> read_shares(const char* option, const std::vector<std::string>& texts);

/// The levels of --coverage, each at least one half.
std::vector<Level> covering_levels(const std::vector<std::string>& coverage);

/// What the training rows chose for the ends of `forest`, or "": "0.75 errors (leaves of 20) + 0.25 values
/// (leaves of 5)". Of several folds what most of them chose.
std::string ends_text(const FitReport& report);

std::string column_json(const Column& column);  ///< of what `fit` and `info` print

}  // namespace lacp
