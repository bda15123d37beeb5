#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/text_table.hpp"
#include "output/results.hpp"
#include "output/statistics.hpp"
#include "output/table.hpp"

namespace lacp {

/// Table 1: "Each value is obtained by averaging the performance over five runs".
inline constexpr std::size_t reference_runs = 5;

/// A number agrees if it lies within this many combined standard errors.
inline constexpr double agreement_errors = 2.0;

/// One number of the published table beside ours.
struct ComparedNumber {
  std::string dataset;            ///< ours
  std::string reference_dataset;  ///< the published table's name for it
  std::string method, alpha;
  std::string quantity;  ///< "size" or "validity"
  Moments ours, paper;
  WelchTest test;
  double p_dataset = 1.0;  ///< Holm's correction within the data set
  double p_overall = 1.0;  ///< Holm's correction over all numbers of the experiment

  bool comparable() const;  ///< both sides are finite and have at least two runs
  bool within() const;      ///< |z| ≤ agreement_errors
};

/// How a group of numbers compares: a data set, a method, or all.
struct Verdict {
  std::string group;
  std::size_t numbers = 0;     ///< that the published table has for the experiment's grid
  std::size_t comparable = 0;  ///< of these
  std::size_t within = 0;      ///< of these, within two combined standard errors
  double expected = 0.0;       ///< share that would be within if both sides had the same mean (Student's t)
  std::size_t different = 0;   ///< significantly different after Holm's correction within the group
  double smallest_p = 1.0;     ///< corrected

  double share() const;  ///< within / numbers: what cannot be compared does not agree
  std::string text() const;
};

struct Comparison {
  std::size_t published = 0;  ///< numbers of the published table, in the experiment's grid or not
  std::vector<ComparedNumber> numbers;
  std::vector<Verdict> datasets, methods, quantities;
  Verdict overall;
};

/// Nothing if the experiment names no reference. UserError if its file is not there. `entries` are the
/// experiment's table, from its cells or read from a file.
std::optional<Comparison> compare(const Results& results, const std::vector<TableEntry>& entries);

/// Where a csv of published numbers lies that a setting (`key`) names. UserError if it is not there.
std::filesystem::path reference_path(const Results& results, const std::string& named, const char* key);

/// The comparison with an already loaded table: columns dataset, method, alpha, size_mean, size_std,
/// validity_mean, validity_std.
Comparison compare_with(const TextTable& reference, const Experiment& experiment,
                        const std::vector<TableEntry>& entries);

TextTable comparison_csv(const Comparison& comparison);
TextTable verdicts_csv(const Comparison& comparison);
std::string comparison_tex(const Results& results, const Comparison& comparison);

/// Writes comparison.csv, verdicts.csv, comparison.tex and comparison_standalone.tex.
void write_comparison(const Results& results, const Comparison& comparison);

}  // namespace lacp
