#include "report/analysis/choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "report/analysis/pairs.hpp"

namespace lacp {
namespace {

constexpr double no_score = std::numeric_limits<double>::infinity();

/// The runs of a data set in which every method was tried: each task is done or has failed, and one is done.
/// A run that is not finished would compare different runs.
std::vector<std::size_t> tried_runs(const Results& results, const std::string& dataset) {
  std::vector<std::size_t> runs;
  for (std::size_t run = 0; run < results.experiment.runs; ++run) {
    std::size_t done = 0, failed = 0;
    for (const std::string& method : results.experiment.methods) {
      done += results.cells.contains({dataset, run, method});
      failed += results.failed.contains({dataset, run, method});
    }
    if (done > 0 && done + failed == results.experiment.methods.size()) runs.push_back(run);
  }
  return runs;
}

/// The mean score of each method on each data set that was tried.
std::vector<std::vector<double>> mean_scores(const Results& results, const Level& level) {
  std::vector<std::vector<double>> scores;
  for (const std::string& dataset : results.experiment.datasets) {
    const std::vector<std::size_t> runs = tried_runs(results, dataset);
    if (runs.empty()) continue;
    std::vector<double>& own = scores.emplace_back();
    for (const std::string& method : results.experiment.methods) {
      const ByRun of_runs = by_run(results, {dataset, method, "winkler", level.text()});
      double sum = 0.0;
      for (const std::size_t run : runs) sum += of_runs.contains(run) ? of_runs.at(run) : no_score;
      own.push_back(sum / static_cast<double>(runs.size()));
    }
  }
  return scores;
}

/// Wilcoxon's test of each method against the best, over data sets, with Holm's correction; NaN for the best.
std::vector<double> against_best(const std::vector<std::vector<double>>& scores, std::size_t best) {
  std::vector<double> p;
  for (std::size_t method = 0; method < scores.front().size(); ++method) {
    std::vector<double> ratios;
    for (const std::vector<double>& on_dataset : scores)
      ratios.push_back(math::log(on_dataset[method] / on_dataset[best]));
    p.push_back(method == best ? NAN : wilcoxon_p(ratios));
  }
  return holm(p);
}

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

bool compares_intervals(const Results& results) {
  return !results.in_part && !results.cells.empty() && has_method(results, "fixed") &&
         (has_method(results, "adapt") || has_method(results, "cqr") || has_method(results, "forest"));
}

const Level& drawn_level(const Experiment& e) { return e.levels[(e.levels.size() - 1) / 2]; }

std::vector<MethodRank> mean_ranks(const Results& results) {
  std::vector<MethodRank> all;
  const std::vector<std::string>& methods = results.experiment.methods;
  for (const Level& level : results.experiment.levels) {
    const std::vector<std::vector<double>> scores = mean_scores(results, level);
    if (scores.size() < 2 || methods.size() < 3) continue;
    std::vector<double> ranks(methods.size(), 0.0);
    for (const std::vector<double>& on_dataset : scores) {
      const std::vector<double> own = ranks_of(on_dataset);
      for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] += own[i];
    }
    for (double& rank : ranks) rank /= static_cast<double>(scores.size());
    std::vector<std::size_t> order(methods.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ranks[i]; });
    const std::vector<double> p = against_best(scores, order.front());
    for (const std::size_t i : order) all.push_back({level, methods[i], ranks[i], scores.size(), p[i]});
  }
  return all;
}

std::vector<MethodCost> costs(const Results& results, const Level& level) {
  std::vector<MethodCost> found;
  for (const std::string& method : results.experiment.methods) {
    std::vector<double> sizes, scores, coverages;
    MethodCost cost{.method = method};
    for (const std::string& dataset : results.experiment.datasets) {
      const auto ratio = [&](std::string_view metric) {
        const std::vector<double> logs = paired(by_run(results, {dataset, method, metric, level.text()}),
                                                by_run(results, {dataset, "fixed", metric, level.text()}))
                                             .log_ratios();
        return math::exp(mean_of(logs));
      };
      const Moments hardest = summarise(results, {dataset, method, "coverage_by_error", level.text(), 10});
      const double size = ratio(size_metric);
      if (hardest.n == 0 || std::isnan(size)) continue;
      sizes.push_back(size);
      scores.push_back(ratio("winkler"));
      coverages.push_back(hardest.mean);
    }
    if (sizes.empty()) continue;
    cost.size = median_of(sizes);
    cost.winkler = median_of(scores);
    cost.hardest = median_of(coverages);
    found.push_back(std::move(cost));
  }
  std::ranges::stable_sort(found, std::greater{}, &MethodCost::hardest);
  return found;
}

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
      user_error("{}: {} rows of {}, {} of the others; delete it and run again", file, intervals.size(),
                 method, panel.size());
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
  Frame table({"dataset", "method", "alpha", "ratio", "lower", "upper", "runs"});
  for (const SizeRatio& r : size_ratios(results, others, results.experiment.levels, {results, "fixed"}))
    if (r.ratio.n >= 2 && std::isfinite(r.ratio.mean))
      table.add({r.dataset, r.method, r.level.text(), r.ratio.mean, r.ratio.lower, r.ratio.upper, r.ratio.n});
  return table;
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
