#pragma once

#include <map>
#include <string>
#include <vector>

#include "output/results.hpp"

namespace lacp {

/// What sizes are compared with: the same data set and level, and the same method unless one is named.
struct SizeBase {
  const Results& results;
  std::string method = {};
  std::map<std::string, std::string> names = {};  ///< our data set → its name there, where they differ

  std::string name(const std::string& dataset) const;
};

/// A base whose data sets are paired with those of `results` by the name that the published table has for
/// them.
SizeBase base_by_published_name(const Results& results, const Results& base);

/// A size relative to another, paired by run: geometric mean of the ratios and its 95 % confidence interval
/// (Student's t on the logarithms), in the unit of the base. Not finite if a size is not. Runs of two
/// experiments are pairs because both draw split and KNN from streams of the same name.
struct SizeRatio {
  std::string dataset, method, alpha;
  PairedInterval ratio;
};

/// For each data set that the base has, method and level, in this order.
std::vector<SizeRatio> size_ratios(const Results& results, const std::vector<std::string>& methods,
                                   const std::vector<Level>& levels, const SizeBase& base);

/// Leaves the runs that both have.
void keep_common(std::map<std::size_t, double>& a, std::map<std::size_t, double>& b);

/// log(a / b) of the same run, in each run that both have.
std::vector<double> log_ratios(const std::map<std::size_t, double>& a,
                               const std::map<std::size_t, double>& b);

}  // namespace lacp
