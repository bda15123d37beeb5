#include "output/frontier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/text.hpp"
#include "output/labels.hpp"
#include "output/sizes.hpp"

namespace lacp {
namespace {

constexpr std::string_view curve_prefix = "adapt_";

/// The curve by θ, then the other methods.
std::vector<std::string> in_drawing_order(std::vector<std::string> methods) {
  std::ranges::stable_sort(methods, {}, [](const std::string& m) { return adaptation_of(m).value_or(1e9); });
  return methods;
}

}  // namespace

std::optional<double> adaptation_of(std::string_view method) {
  if (method == "fixed") return 0.0;
  if (!method.starts_with(curve_prefix)) return std::nullopt;
  const auto percent = parse_integer(method.substr(curve_prefix.size()));
  if (!percent) return std::nullopt;
  return static_cast<double>(*percent) / 100.0;
}

bool compares_intervals(const Results& results) {
  return has_method(results, "fixed") &&
         std::ranges::any_of(results.experiment.methods, [](const std::string& m) {
           return m == "adapt" || m == "cqr" || adaptation_of(m).value_or(0.0) > 0.0;
         });
}

std::vector<FrontierPoint> frontier_points(const Results& results, const Level& level) {
  std::vector<FrontierPoint> points;
  const std::vector<std::string> methods = in_drawing_order(results.experiment.methods);
  for (const SizeRatio& s : size_ratios(results, methods, {level}, {results, "fixed"})) {
    const Moments hardest = summarise(results, {s.dataset, s.method, "coverage_by_error", s.alpha, 10});
    if (s.ratio.n > 0 && hardest.n > 0 && !std::isnan(s.ratio.mean))
      points.push_back({s.dataset, s.method, s.ratio.mean, hardest.mean, s.ratio.n});
  }
  return points;
}

TextTable frontier_csv(const Results& results) {
  TextTable table{
      {"dataset", "method", "theta", "alpha", "relative_size", "coverage", "runs"}, {}, "frontier.csv"};
  for (const Level& level : results.experiment.levels)
    for (const FrontierPoint& p : frontier_points(results, level)) {
      const auto theta = adaptation_of(p.method);
      table.add({p.dataset, p.method, theta ? number_text(*theta) : "", level.text(), number_text(p.size),
                 number_text(p.hardest), std::to_string(p.runs)});
    }
  return table;
}

FrontierPanel frontier_panel(const std::vector<FrontierPoint>& points, std::string_view dataset) {
  std::vector<double> sizes;
  for (const FrontierPoint& p : points)
    if (p.dataset == dataset && std::isfinite(p.size)) sizes.push_back(p.size);
  const AxisRange fence = fences(sizes);
  FrontierPanel panel{.axis = {1.0, 1.0}, .beyond = ""};
  for (const FrontierPoint& p : points) {
    if (p.dataset != dataset) continue;
    if (p.size < fence.low || p.size > fence.high) {
      panel.beyond += fmt::format("{}{} {}", panel.beyond.empty() ? "" : ", ", method_label(p.method),
                                  display(p.size, p.size < 1.0    ? 2
                                                  : p.size < 10.0 ? 1
                                                                  : 0));
      continue;
    }
    panel.axis.low = std::min(panel.axis.low, p.size), panel.axis.high = std::max(panel.axis.high, p.size);
  }
  if (panel.axis.high - panel.axis.low < 0.02) panel.axis.low -= 0.01, panel.axis.high += 0.01;
  return panel;
}

}  // namespace lacp
