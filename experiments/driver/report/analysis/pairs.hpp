#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/frame.hpp"
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

/// How far runs overlap that are compared between two experiments: as those that overlap more.
double overlap_of(const Results& a, const std::string& dataset_of_a, const Results& b,
                  const std::string& dataset_of_b);

/// What sizes are compared with: the same data set and level, and the same method unless one is named.
struct SizeBase {
  const Results& results;
  std::string method = {};
  std::map<std::string, std::string> names = {};  ///< our data set → its name there, where they differ

  std::string name(const std::string& dataset) const { return renamed(names, dataset); }
};

/// One whose data sets are paired with those of `results` by the name that the published table has for them.
SizeBase base_by_published_name(const Results& results, const Results& base);

/// Sizes relative to others, paired by run: geometric mean of the ratios and its 95 % confidence interval
/// (Student's t on the logarithms; runs overlap), in the unit of the base. Not finite if a size is not. For
/// each data set that the base has, method and level: dataset, method, alpha, ratio, lower, upper, runs, p.
Frame size_ratios(const Results& results, const std::vector<std::string>& methods,
                  const std::vector<Level>& levels, const SizeBase& base);

/// What changes of a protocol's settings do to every size, as ablation.csv has it.
struct Ablation {
  Frame rows;
  std::set<std::string> commits = {};  ///< of the programs that computed the cells
};

/// Compares the experiments <group>/<variant>/<protocol> with <group>/<protocol>/<protocol>. Data sets are
/// paired by the name that the published table has for them. UserError if the protocol itself is not there.
Ablation ablate(const std::filesystem::path& group);

/// The rows of the tasks that both experiments have, sizes over the runs that both have and in the unit of
/// the base, with Holm's correction (p_holm). UserError if they share no task.
Frame shared_sizes(const Results& base, const Results& changed);

/// The rows of an ablation with Holm's correction over those that a change could touch, as p_holm.
void correct_changes(Frame& rows);

/// Of a row of an ablation: the protocol as it is; and whether some run is not as it was (else the method
/// does not know the setting).
bool is_base(const Row& row);
bool is_touched(const Row& row);

}  // namespace lacp
