#pragma once

#include <string>
#include <vector>

#include "report/analysis/results.hpp"

// What is compared run by run. Runs of two experiments are pairs because both draw split and KNN from streams
// of the same name.
namespace lacp {

/// The values of the runs that both have.
struct Pairs {
  std::vector<double> first, second;

  std::vector<double> differences() const;  ///< first − second
  std::vector<double> log_ratios() const;   ///< log(first / second)
};
Pairs paired(const ByRun& first, const ByRun& second);

/// What sizes are compared with: the same level, and the same method unless one is named.
struct SizeBase {
  const Results& results;
  std::string method = {};
};

/// Geometric mean of the ratios of sizes, paired by run, with its 95 % confidence interval (Student's t on
/// the logarithms; runs overlap).
struct SizeRatio {
  std::string dataset, method;
  Level level;
  PairedInterval ratio;
  Moments base, changed;  ///< the sizes of the runs that both have
  double p_holm = 0.0;    ///< over all ratios that a change could touch

  bool is_touched() const { return ratio.lower != 1.0 || ratio.upper != 1.0; }
};

/// For each data set that the base has, method and level. `ratio` is not finite if a size is not.
std::vector<SizeRatio> size_ratios(const Results& results, const std::vector<std::string>& methods,
                                   const std::vector<Level>& levels, const SizeBase& base);

/// The ratios of the tasks that both experiments have. UserError if they share none.
std::vector<SizeRatio> shared_sizes(const Results& base, const Results& changed);

}  // namespace lacp
