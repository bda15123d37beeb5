#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/text_table.hpp"
#include "output/figures.hpp"
#include "output/results.hpp"

namespace lacp {

/// Whether an experiment asks which intervals to use: it has `fixed`, and `cqr` or a method that adapts by a
/// chosen degree (`adapt`, `adapt_75`).
bool compares_intervals(const Results& results);

/// The degree θ of a method that is a point of the curve: 0 for `fixed`, 0.75 for `adapt_75`.
std::optional<double> adaptation_of(std::string_view method);

/// What adaptivity costs: one method on one data set at one level.
struct FrontierPoint {
  std::string dataset = {}, method = {};
  double size = 0.0;     ///< relative to `fixed` of the same run, geometric mean; +inf if an interval is
  double hardest = 0.0;  ///< coverage of the tenth of the points with the largest local error, mean over runs
  std::size_t runs = 0;  ///< that both are from
};

/// By data set; the methods of the curve first, by θ, then the others as the experiment has them.
std::vector<FrontierPoint> frontier_points(const Results& results, const Level& level);

/// frontier.csv, all levels: dataset, method, theta (empty off the curve), alpha, relative_size, coverage,
/// runs.
TextTable frontier_csv(const Results& results);

/// What a panel of the figure shows of one data set's sizes, and "rlcp 6.4, mondrian ∞" for those beyond.
struct FrontierPanel {
  AxisRange axis;
  std::string beyond = {};
};
FrontierPanel frontier_panel(const std::vector<FrontierPoint>& points, std::string_view dataset);

}  // namespace lacp
