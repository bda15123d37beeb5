#include <algorithm>
#include <cmath>
#include <limits>

#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "report/analysis/choice.hpp"
#include "report/analysis/pairs.hpp"

namespace lacp {
namespace {

/// Ends of the interval of one row; infinite and empty intervals are gaps.
std::pair<double, double> interval_ends(const Row& row) {
  const double f = row.number("f"), half_width = row.number("half_width");
  if (!std::isfinite(half_width) || half_width < 0.0) return {NAN, NAN};
  if (std::ranges::count(row.header->names, "above") > 0)
    return {f - row.number("below"), f + row.number("above")};
  return {f - half_width, f + half_width};
}

/// Twice the interquartile range from the quartiles of the ratios (of their logarithms; at least a factor of
/// 1.5), and 1: a method far from all others must not squeeze the axis.
AxisRange fences(std::vector<double> ratios) {
  if (ratios.empty()) return {};
  std::ranges::sort(ratios);
  const double first = ratios[ratios.size() / 4], third = ratios[3 * ratios.size() / 4];
  const double reach = std::max(third / first * (third / first), 1.5);
  return {std::min(first / reach, 1.0), std::max(third * reach, 1.0)};
}

}  // namespace

std::optional<Frame> panel_data(const Results& results, const std::string& dataset) {
  Frame panel;
  const double z = normal_two_sided_z(results.experiment.keep_intervals.level.value());
  for (const std::string& method : results.experiment.methods) {
    const auto cell = results.cells.find({dataset, 0, method});
    if (cell == results.cells.end() || cell->second.intervals.empty()) continue;
    const std::string file = intervals_path(results.folder, dataset).string();
    Frame intervals = parse_frame(read_intervals(results.folder, cell->second), file);
    std::ranges::stable_sort(intervals.rows, {}, [](const Row& row) { return row.number("x"); });
    if (panel.empty()) {
      if (intervals.empty() || std::isnan(intervals.number(0, "x"))) return std::nullopt;
      panel = Frame({"x", "y", "f", "true_lower", "true_upper"}, dataset);
      for (const Row& row : intervals) {
        const double truth = row.number("truth"), reach = z * row.number("sigma");
        panel.add({row.number("x"), row.number("y"), row.number("f"), truth - reach, truth + reach});
      }
    }
    if (intervals.size() != panel.size())
      user_error("{}: has {} rows of {}; the other methods have {}; delete it and run again", file,
                 intervals.size(), method, panel.size());
    std::vector<double> lower, upper;
    for (const Row& row : intervals) {
      const auto [low, high] = interval_ends(row);
      lower.push_back(low);
      upper.push_back(high);
    }
    panel.add_column(method + "_lower", lower);
    panel.add_column(method + "_upper", upper);
  }
  return panel.empty() ? std::nullopt : std::optional(panel);
}

Frame relative_sizes(const Results& results) {
  std::vector<std::string> others = results.experiment.methods;
  std::erase(others, "fixed");
  return size_ratios(results, others, results.experiment.levels, {results, "fixed"})
      .where([](const Row& s) { return s.number("runs") >= 2 && std::isfinite(s.number("ratio")); })
      .without("p");
}

AxisRange sizes_axis(const Frame& sizes) {
  if (sizes.empty()) return {};
  std::vector<double> ends{1.0};
  const AxisRange fence = fences(sizes.numbers("ratio"));
  for (const char* end : {"lower", "ratio", "upper"})
    for (const double value : sizes.numbers(end)) ends.push_back(std::clamp(value, fence.low, fence.high));
  const AxisRange axis{std::ranges::min(ends), std::ranges::max(ends)};
  return std::isfinite(axis.high) && axis.low > 0.0 ? axis : AxisRange{};
}

Frame by_local_error(const Results& results) {
  Frame table({"dataset", "method", "alpha", "decile", "coverage", "coverage_error", "relative_size",
               "relative_size_error", "runs"});
  const Experiment& e = results.experiment;
  for (const std::string& dataset : e.datasets) {
    const double overlap = overlap_of(results, dataset);
    for (const std::string& method : e.methods)
      for (const Level& level : e.levels)
        for (std::size_t bin = 1; bin <= 10; ++bin) {
          const Moments coverage = moments(
              values_of(by_run(results, {dataset, method, "coverage_by_error", level.text(), bin})), overlap);
          const Moments ratio =
              moments(paired(by_run(results, {dataset, method, "size_by_error", level.text(), bin}),
                             by_run(results, {dataset, method, "size_mean", level.text()}))
                          .log_ratios(),
                      overlap);
          if (coverage.n == 0) continue;
          // Not finite where a run has infinite intervals: there is no ratio then.
          const double relative =
              std::isfinite(ratio.mean) ? math::exp(ratio.mean) : std::numeric_limits<double>::quiet_NaN();
          table.add({dataset, method, level.text(), bin, coverage.mean, coverage.standard_error(), relative,
                     relative * ratio.standard_error(), coverage.n});
        }
  }
  return table;
}

}  // namespace lacp
