#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/results.hpp"
#include "common/frame.hpp"

// What the figures show; frontier and ranks are in choice.hpp.
namespace lacp {

/// One panel of Figure 1, sorted by x: x, y, f, the true band f_true ± z σ(x), and for each method the lower
/// and the upper end of its intervals. Nothing if the experiment kept no intervals of the data set, or if it
/// has several attributes.
std::optional<Frame> panel_data(const Results& results, const std::string& dataset);

/// Size relative to `fixed` with its 95 % interval, paired by run: sizes.csv.
Frame relative_sizes(const Results& results);

/// Coverage and relative size by decile of the local error, mean over runs with its standard error.
Frame by_local_error(const Results& results);

/// What an axis shows.
struct AxisRange {
  double low = 0.5, high = 2.0;
};

/// Twice the interquartile range from the quartiles of the ratios (of their logarithms; at least a factor of
/// 1.5), and 1: a method far from all others must not squeeze the axis.
AxisRange fences(std::vector<double> ratios);

/// Every ratio with its interval, as far as it lies within the fences.
AxisRange sizes_axis(const Frame& sizes);

/// What a panel of the frontier shows of one data set's points at a level, and the points beyond it.
struct FrontierPanel {
  AxisRange axis;
  Frame beyond;
};
FrontierPanel frontier_panel(const Frame& points);

}  // namespace lacp
