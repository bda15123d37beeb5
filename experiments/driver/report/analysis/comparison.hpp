#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/analysis/table.hpp"

// A table beside a published one, and beside the runs of the program that was released with it.
namespace lacp {

/// Of each value of Table 1, as the paper says.
inline constexpr std::size_t published_runs = 5;

/// A number agrees with another if they lie within this many combined standard errors.
inline constexpr double agreement_errors = 2.0;

/// How two samples differ.
struct Difference {
  WelchTest means;
  double z_medians = 0.0;  ///< in units of the combined robust standard error
  double ranks_p = 0.0;    ///< Mann and Whitney's; NaN unless both sides have their runs

  bool agrees() const { return std::abs(means.z) <= agreement_errors; }
  bool agrees_by_medians() const { return std::abs(z_medians) <= agreement_errors; }
};
Difference difference(const Sample& a, const Sample& b);

/// One entry of ours beside that of the published table and, if they are known, the released program's runs.
struct ComparedEntry {
  Entry ours;
  Entry published;
  std::optional<Entry> released;
  Difference size, validity;                    ///< ours and the published one
  Difference size_released, validity_released;  ///< ours and the released program's
};

struct TableComparison {
  std::vector<ComparedEntry> entries;
  std::size_t published = 0;  ///< entries of the published table, in the experiment's grid or not

  bool has_released() const;

  /// Whether every entry of the published table is here, and can be compared.
  bool is_whole() const;
};

/// How many sizes agree.
struct Agreement {
  std::size_t sizes = 0, means = 0, medians = 0;
  std::size_t sound_means = 0, sound_medians = 0;  ///< where no run of ours collapsed or exploded
  std::size_t different = 0;                       ///< by Mann and Whitney, p below 5 %
};
Agreement with_published(const TableComparison& comparison);
Agreement with_released(const TableComparison& comparison);

/// What "reproduces" means: at least nine sizes of ten agree, by means and by medians. Against a published
/// table, which has no such runs, a size with a collapsed or an exploded run is a miss; `but_for_broken_runs`
/// if it is these alone that are missing.
enum class Reproduction { no, but_for_broken_runs, yes };
inline constexpr double reproducing_share = 0.9;
Reproduction reproduces_published(const Agreement& agreement);
Reproduction reproduces_released(const Agreement& agreement);

/// The tables that an experiment names. Nothing if it names none. UserError if a file is not there.
struct References {
  std::vector<Entry> published, released;
};
std::optional<References> load_references(const Results& results);

/// `names`: our data sets → those of the references, where they differ.
TableComparison compare(const std::vector<Entry>& ours, const References& references,
                        const std::map<std::string, std::string>& names);

/// The released program's runs beside the published table.
TableComparison compare_released(const References& references);

/// One row for each size and each validity, as comparison.csv has it.
std::string comparison_csv(const TableComparison& comparison);

}  // namespace lacp
