#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/frame.hpp"
#include "report/analysis/results.hpp"

// Table 1 of an experiment, and how it compares with a published one.
namespace lacp {

/// Every entry of the grid in the experiment's order, data set, method, level, as table.csv has it: dataset,
/// method, alpha, runs, size_mean, size_std, validity_mean, validity_std, infinite, empty, runs_wanted. The
/// mean size is infinite if any interval of any run was; infinite and empty are shares of the intervals.
/// Besides, `best`: 1 for the smallest mean size of its data set and level, as printed, among those that are
/// complete and do not clearly miss their validity.
Frame table_entries(const Results& results);

/// Whether a mean validity is more than this below 1 − α.
inline constexpr double clear_miss = 0.03;
bool misses_clearly(const Row& entry);

/// The same from table.csv, and the text of that file.
Frame read_table_csv(const std::filesystem::path& file);
std::string table_csv(const Frame& entries);

/// The runs of all entries.
std::size_t runs_in(const Frame& entries);

/// Whether an entry has all its runs.
bool is_complete(const Row& entry);

/// Table 1: "Each value is obtained by averaging the performance over five runs". A number agrees if it lies
/// within `agreement_errors` combined standard errors.
inline constexpr std::size_t reference_runs = 5;
inline constexpr double agreement_errors = 2.0;

/// Of numbers that are compared: how many lie within this number of combined standard errors, and how many
/// would if both sides had the same mean (Student's t).
struct Agreement {
  std::size_t comparable = 0, within = 0;
  double expected = 0.0;
};
Agreement agreement(const Frame& numbers, double errors);

struct Comparison {
  std::size_t published = 0;  ///< numbers of the published table, in the experiment's grid or not
  /// Each published number of the grid beside ours, as comparison.csv has it. `within_2_standard_errors` is
  /// "yes" or "no", or "" where a side is not finite or has fewer than two runs.
  Frame numbers;
  /// How groups of them compare (kind: dataset, method, quantity, overall), as verdicts.csv has it. What
  /// cannot be compared does not agree.
  Frame verdicts;

  const Row& overall() const { return verdicts.rows.back(); }
};

/// Nothing if the experiment names no reference. UserError if its file is not there. `entries` are the
/// experiment's table, from its cells or read from a file. The reference may be loaded already.
std::optional<Comparison> compare(const Results& results, const Frame& entries);
Comparison compare_with(const Frame& reference, const Experiment& experiment, const Frame& entries);

/// Where a csv of published numbers lies that a setting (`key`) names. UserError if it is not there.
std::filesystem::path reference_path(const Results& results, const std::string& named, const char* key);

}  // namespace lacp
