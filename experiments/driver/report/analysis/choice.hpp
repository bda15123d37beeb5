#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/frame.hpp"
#include "report/analysis/results.hpp"

// The numbers behind "Which intervals should I use?".

namespace lacp {

/// Whether an experiment asks which intervals to use: it has `fixed`, and `cqr` or `adapt`, or it has
/// `forest` on one data set.
bool compares_intervals(const Results& results);

/// Of what there is one for each level, the one that is shown first: the middle one, of two the first. And
/// the level whose coverage is drawn.
template <class T>
const T& middle_of(const std::vector<T>& of_levels) {
  return of_levels[(of_levels.size() - 1) / 2];
}
const Level& drawn_level(const Experiment& experiment);

/// Methods ranked by their Winkler score (mean over runs, infinite where an interval is and where a task has
/// failed) on each data set, as ranks.csv has it: alpha, method, rank (mean over data sets), datasets,
/// critical_difference (from which two mean ranks differ at 5 %, Nemenyi), friedman_p (that all rank alike),
/// p_holm (that the best scores no lower: Wilcoxon's test of score / best score over data sets, Holm's
/// correction over the other methods). The best of a level first. Nothing unless at least three methods were
/// tried on at least two data sets. And whether a method of the ranks is not provably worse than the best.
Frame mean_ranks(const Results& results);
bool is_like_best(const Row& method);

/// How often a method has a smaller (wins), a larger (losses) or no provably different Winkler score than
/// another, over data sets, and the median over data sets of the geometric mean of score / other score:
/// method, wins, ties, losses, ratio. Each other method against `base`. Logarithms of the scores, paired by
/// run, by Student's t (runs overlap) with Holm's correction over methods × data sets. A score that is not
/// finite, or a task that failed, loses against one that is.
Frame records_against(const Results& results, const std::string& base, const Level& level);

/// What equal coverage costs, over the data sets: method, size (median, relative to `fixed` of the same run,
/// geometric mean; infinite if an interval is), hardest (median coverage of the tenth of the points with the
/// largest local error, mean over runs), lowest (of it), lowest_at (its data set), excess_risk (median of
/// `ert`; NaN where it was not measured), missed (data sets, whose hardest tenth is covered less than
/// 1 − α − 0.1). By coverage of the hardest tenth, the highest first. Methods without a number are left out.
Frame costs(const Results& results, const Level& level);

/// Where a method fails: method, failed (tasks), infinite (data sets with infinite intervals, at some level),
/// below and above ("homes at 0.1": validity off its promise, as the numbers of that claim have it). Lists
/// are joined by ", ".
Frame troubles(const Results& results, const Frame& validity);

// What the other figures show.

/// One panel of Figure 1, sorted by x: x, y, f, the true band f_true ± z σ(x), and for each method the lower
/// and the upper end of its intervals. Nothing if the experiment kept no intervals of the data set, or if it
/// has several attributes.
std::optional<Frame> panel_data(const Results& results, const std::string& dataset);

/// Size relative to `fixed` with its 95 % interval, paired by run: sizes.csv.
Frame relative_sizes(const Results& results);

/// Coverage and relative size by decile of the local error, mean over runs with its standard error.
Frame by_local_error(const Results& results);

/// What an axis shows; for sizes every ratio with its interval, as far as it lies near those of the others.
struct AxisRange {
  double low = 0.5, high = 2.0;
};
AxisRange sizes_axis(const Frame& sizes);

}  // namespace lacp
