#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/text_table.hpp"
#include "output/results.hpp"

namespace lacp {

/// Methods ranked by their Winkler score on each data set (mean over runs), at one level.
struct MeanRanks {
  std::string alpha = {};
  std::vector<std::string> methods = {};  ///< the best first
  std::vector<double> ranks = {};         ///< mean ranks over the data sets, in the same order
  std::size_t datasets = 0;
  double p = 1.0;                    ///< that all rank alike (Friedman)
  double critical_difference = 0.0;  ///< from which two mean ranks differ at 5 % (Nemenyi)

  double rank(const std::string& method) const;

  /// Methods that cannot be told from the best, without it.
  std::vector<std::string> like_best() const;
};

/// The runs of a data set in which every method was tried: each task is done or has failed, and one is done.
/// A run that is not finished would compare different runs.
std::vector<std::size_t> tried_runs(const Results& results, const std::string& dataset);

/// Mean Winkler score over these runs, infinite where an interval is and where a task has failed.
double mean_winkler(const Results& results, const Quantity& of, const std::vector<std::size_t>& runs);

/// Nothing unless at least three methods were tried on at least two data sets. What has no finite score ranks
/// last.
std::optional<MeanRanks> mean_ranks(const Results& results, const Level& level);

/// ranks.csv: alpha, method, rank, datasets, critical_difference, friedman_p.
TextTable ranks_csv(const std::vector<MeanRanks>& levels);

}  // namespace lacp
