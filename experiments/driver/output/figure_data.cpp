#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "output/figures.hpp"
#include "output/sizes.hpp"
#include "store/store.hpp"

namespace lacp {
namespace {

/// Ends of the interval of one row; infinite and empty intervals are gaps.
std::pair<std::string, std::string> interval_ends(const TextTable& intervals, std::size_t row) {
  const double f = intervals.number(row, "f"), half_width = intervals.number(row, "half_width");
  if (!std::isfinite(half_width) || half_width < 0.0) return {"", ""};
  if (std::ranges::find(intervals.header, "above") != intervals.header.end())
    return {number_text(f - intervals.number(row, "below")), number_text(f + intervals.number(row, "above"))};
  return {number_text(f - half_width), number_text(f + half_width)};
}

}  // namespace

std::optional<TextTable> panel_data(const Results& results, const std::string& dataset) {
  TextTable panel;
  std::vector<std::size_t> order;
  const double z = normal_two_sided_z(results.experiment.keep_intervals.level.value());
  for (const std::string& method : results.experiment.methods) {
    const auto cell = results.cells.find({dataset, 0, method});
    if (cell == results.cells.end() || cell->second.intervals.empty()) continue;
    const std::string file = intervals_path(results.folder, cell->first).string();
    const TextTable intervals = parse_text_table(read_intervals(results.folder, cell->second), file);
    if (panel.header.empty()) {
      if (intervals.rows.empty() || std::isnan(intervals.number(0, "x"))) return std::nullopt;
      panel = {{"x", "y", "f", "true_lower", "true_upper"}, {}, dataset};
      order.resize(intervals.rows.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::stable_sort(order, {}, [&](std::size_t row) { return intervals.number(row, "x"); });
      for (const std::size_t row : order) {
        const double truth = intervals.number(row, "truth"), reach = z * intervals.number(row, "sigma");
        panel.add({number_text(intervals.number(row, "x")), number_text(intervals.number(row, "y")),
                   number_text(intervals.number(row, "f")), number_text(truth - reach),
                   number_text(truth + reach)});
      }
    }
    if (intervals.rows.size() != order.size())
      user_error("{}: has {} rows; the other methods have {}; delete it and run again", file,
                 intervals.rows.size(), order.size());
    panel.header.push_back(method + "_lower");
    panel.header.push_back(method + "_upper");
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto [lower, upper] = interval_ends(intervals, order[i]);
      panel.rows[i].push_back(lower);
      panel.rows[i].push_back(upper);
    }
  }
  if (panel.header.empty()) return std::nullopt;
  return panel;
}

TextTable relative_sizes(const Results& results) {
  TextTable table{{"dataset", "method", "alpha", "ratio", "lower", "upper", "runs"}, {}, "sizes.csv"};
  std::vector<std::string> others = results.experiment.methods;
  std::erase(others, "fixed");
  for (const SizeRatio& s : size_ratios(results, others, results.experiment.levels, {results, "fixed"}))
    if (const PairedInterval& i = s.ratio; i.n >= 2 && std::isfinite(i.mean))
      table.add({s.dataset, s.method, s.alpha, number_text(i.mean), number_text(i.lower),
                 number_text(i.upper), std::to_string(i.n)});
  return table;
}

AxisRange fences(std::vector<double> ratios) {
  if (ratios.empty()) return {};
  std::ranges::sort(ratios);
  const double first = ratios[ratios.size() / 4], third = ratios[3 * ratios.size() / 4];
  const double reach = std::max(third / first * (third / first), 1.5);
  return {std::min(first / reach, 1.0), std::max(third * reach, 1.0)};
}

AxisRange sizes_axis(const TextTable& sizes) {
  std::vector<double> ratios, ends{1.0};
  for (std::size_t i = 0; i < sizes.rows.size(); ++i) ratios.push_back(sizes.number(i, "ratio"));
  if (ratios.empty()) return {};
  const AxisRange fence = fences(std::move(ratios));
  for (std::size_t i = 0; i < sizes.rows.size(); ++i)
    for (const char* end : {"lower", "ratio", "upper"})
      ends.push_back(std::clamp(sizes.number(i, end), fence.low, fence.high));
  const AxisRange axis{std::ranges::min(ends), std::ranges::max(ends)};
  return std::isfinite(axis.high) && axis.low > 0.0 ? axis : AxisRange{};
}

TextTable by_local_error(const Results& results) {
  TextTable table{{"dataset", "method", "alpha", "decile", "coverage", "coverage_error", "relative_size",
                   "relative_size_error", "runs"},
                  {},
                  "adaptivity.csv"};
  const Experiment& e = results.experiment;
  for (const std::string& dataset : e.datasets)
    for (const std::string& method : e.methods)
      for (const Level& level : e.levels)
        for (std::size_t bin = 1; bin <= 10; ++bin) {
          const Moments coverage =
              summarise(results, {dataset, method, "coverage_by_error", level.text(), bin});
          const Moments ratio =
              moments(log_ratios(by_run(results, {dataset, method, "size_by_error", level.text(), bin}),
                                 by_run(results, {dataset, method, "size_mean", level.text()})));
          if (coverage.n == 0) continue;
          // Not finite where a run has infinite intervals: there is no ratio then.
          const double relative =
              std::isfinite(ratio.mean) ? math::exp(ratio.mean) : std::numeric_limits<double>::quiet_NaN();
          table.add({dataset, method, level.text(), std::to_string(bin), number_text(coverage.mean),
                     number_text(coverage.standard_error()), number_text(relative),
                     number_text(relative * ratio.standard_error()), std::to_string(coverage.n)});
        }
  return table;
}

}  // namespace lacp
