#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "common/frame.hpp"
#include "report/analysis/results.hpp"

// Table 1 of an experiment: size and validity of each method, on each data set, at each level.
namespace lacp {

/// What one run gave; both are NaN where training diverged.
struct RunPair {
  std::size_t run = 0;
  double size = 0.0, validity = 0.0;
};

/// A quantity over runs. Of a published one only mean and deviation are known; they stand in for the median.
struct Sample {
  std::vector<double> values;
  Moments moments;
  double median = 0.0, median_error = 0.0;
};
Sample sample_of(std::vector<double> values);
Sample published_sample(double mean, double deviation, std::size_t runs);

/// One entry of a table.
struct Entry {
  std::string dataset, method;
  Level level;
  Sample size = {}, validity = {};
  double infinite = 0.0, empty = 0.0;  ///< shares of the intervals; NaN if they are not known
  std::size_t runs = 0, wanted = 0;    ///< runs that are there
  std::size_t collapsed =
      0;  ///< of them: size below a thousandth of the median, or validity below half of 1 − α
  std::size_t exploded = 0;  ///< of them: size above twenty medians
  bool best = false;

  bool is_complete() const { return runs == wanted; }
  bool is_broken() const { return collapsed + exploded > 0; }

  /// Whether the mean validity is more than `clear_miss` below 1 − α.
  bool misses_clearly() const;
};
inline constexpr double clear_miss = 0.03;

/// The runs of an entry, counted. Runs without a size are not there.
Entry entry_of(std::string dataset, std::string method, const Level& level, const std::vector<RunPair>& runs,
               std::size_t wanted);

/// Every entry of the grid in the experiment's order: data set, method, level. `best`: the smallest mean size
/// of its data set and level, as printed, among those that are complete and do not clearly miss their
/// validity.
std::vector<Entry> table_entries(const Results& results);

/// dataset,run,method,alpha,size,validity: as a file of runs has it, with empty numbers where a run diverged.
std::string runs_csv(const Results& results);

/// The entries of a file of runs, in its order. UserError if it is not one.
std::vector<Entry> read_runs(const std::filesystem::path& file);

/// As table.csv has them: dataset, method, alpha, runs, size_mean, size_std, validity_mean, validity_std,
/// infinite, empty, runs_wanted. The mean size is infinite if any interval of any run was.
std::string table_csv(const std::vector<Entry>& entries);

/// Null if there is no such entry.
const Entry* find_entry(const std::vector<Entry>& entries, std::string_view dataset, std::string_view method,
                        const Level& level);

}  // namespace lacp
