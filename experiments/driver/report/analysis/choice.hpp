#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/frame.hpp"
#include "report/analysis/results.hpp"

// The numbers behind "Which intervals should I use?", and behind the figures.
namespace lacp {

/// Whether an experiment asks which intervals to use: it has `fixed`, and methods beyond the paper's.
bool compares_intervals(const Results& results);

/// The level that is drawn, and shown where one is enough: the middle one.
const Level& drawn_level(const Experiment& experiment);

/// A method among all by its Winkler score (mean over runs, infinite where an interval is and where a task
/// has failed) on each data set.
struct MethodRank {
  Level level;
  std::string method;
  double rank = 0.0;  ///< mean over data sets, 1 is best
  std::size_t datasets = 0;
  double p_holm = 0.0;  ///< that the best scores no lower: Wilcoxon's test over data sets; NaN for the best

  bool is_like_best() const { return !(p_holm < error_rate); }
};

/// By level, the best first. Nothing unless at least three methods were tried on at least two data sets.
std::vector<MethodRank> mean_ranks(const Results& results);

/// What equal coverage costs: medians over data sets.
struct MethodCost {
  std::string method;
  double winkler = 0.0, size = 0.0;  ///< relative to `fixed` of the same run, geometric means
  double hardest = 0.0;              ///< coverage of the tenth of the points with the largest local error
};

/// By coverage of the hardest tenth, the highest first. Methods without a number are left out.
std::vector<MethodCost> costs(const Results& results, const Level& level);

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
