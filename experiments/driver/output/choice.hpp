#pragma once

#include <string>
#include <vector>

#include "output/claims.hpp"
#include "output/frontier.hpp"
#include "output/ranks.hpp"

// The numbers behind "Which intervals should I use?".
namespace lacp {

/// How often a method has a smaller (wins), a larger (losses) or no provably different Winkler score than
/// another, over data sets.
struct Record {
  std::string method = {};
  std::size_t wins = 0, ties = 0, losses = 0;
  double ratio = 1.0;  ///< median over data sets of the geometric mean of score / other score

  std::string text() const;  ///< "9–4–3"
};

/// Each method of `results` against the same data sets of `base`, whose method is `base_method`, or the same
/// method if that is "". Logarithms of the scores, paired by run, by Student's t with Holm's correction over
/// methods × data sets. A score that is not finite, or a task that failed, loses against one that is. Scores
/// are in the unit of the base.
std::vector<Record> records_against(const Results& results, const Results& base,
                                    const std::string& base_method, const Level& level,
                                    const std::vector<std::string>& datasets);

/// What equal coverage costs: over the data sets of an experiment, at one level.
struct Cost {
  std::string method = {};
  double size = 0.0;                     ///< median size relative to `fixed`
  double hardest = 0.0;                  ///< median coverage of the hardest tenth
  double lowest = 0.0;                   ///< and the lowest
  std::string lowest_at = {};            ///< its data set
  double excess_risk = 0.0;              ///< median of `ert`; NaN where it was not measured
  std::vector<std::string> missed = {};  ///< data sets whose hardest tenth is covered less than 1 − α − 0.1
};

/// By coverage of the hardest tenth, the highest first. Methods without a point are left out.
std::vector<Cost> costs(const Results& results, const Level& level);

/// Where a method fails.
struct Trouble {
  std::string method = {};
  std::size_t failed = 0;                  ///< tasks
  std::vector<std::string> infinite = {};  ///< data sets with infinite intervals, at some level
  std::vector<std::string> below = {},
                           above = {};  ///< "homes, 0.1": validity off its promise, as the claim has it
};
std::vector<Trouble> troubles(const Results& results, const std::vector<Claim>& claims);

}  // namespace lacp
