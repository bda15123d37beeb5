#include "output/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "output/sizes.hpp"

namespace lacp {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// One data set: the mean log ratio with its p, or which side alone has a finite score.
struct Match {
  std::size_t record;
  PairedInterval log_ratio;
  int decided = 0;  ///< −1: only this side is finite, 1: only the other
};

/// The score of each run that was tried, in the unit of `to`; infinite where the task failed.
std::map<std::size_t, double> tried(const Results& results, const std::string& dataset,
                                    const std::string& method, const Level& level, const Results& to) {
  std::map<std::size_t, double> scores = by_run(results, {dataset, method, "winkler", level.text()}, to);
  for (const auto& [task, failure] : results.failed)
    if (task.dataset == dataset && task.method == method)
      scores[task.run] = std::numeric_limits<double>::infinity();
  return scores;
}

bool is_finite(const std::map<std::size_t, double>& scores) {
  return std::ranges::all_of(scores, [](const auto& item) { return std::isfinite(item.second); });
}

}  // namespace

std::string Record::text() const { return fmt::format("{}–{}–{}", wins, ties, losses); }

std::vector<Record> records_against(const Results& results, const Results& base,
                                    const std::string& base_method, const Level& level,
                                    const std::vector<std::string>& datasets) {
  std::vector<Record> records;
  std::vector<Match> matches;
  for (const std::string& method : results.experiment.methods) {
    const std::string& other = base_method.empty() ? method : base_method;
    if (!has_method(base, other) || (&results == &base && other == method)) continue;
    std::vector<double> ratios;
    for (const std::string& dataset : datasets) {
      auto mine = tried(results, dataset, method, level, base),
           theirs = tried(base, dataset, other, level, base);
      keep_common(mine, theirs);
      if (mine.empty()) continue;
      Match match{.record = records.size(), .log_ratio = paired_interval(log_ratios(mine, theirs))};
      const bool sound = is_finite(mine), other_sound = is_finite(theirs);
      if (!sound || !other_sound) {
        match.decided = sound ? -1 : other_sound ? 1 : 0;
        match.log_ratio.p = nan;
      } else {
        ratios.push_back(math::exp(match.log_ratio.mean));
      }
      matches.push_back(match);
    }
    records.push_back({.method = method, .ratio = median_of(ratios)});
  }
  std::vector<double> p;
  for (const Match& match : matches) p.push_back(match.log_ratio.p);
  p = holm(p);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    Record& record = records[matches[i].record];
    const bool differs = matches[i].decided != 0 || p[i] < error_rate;
    const bool smaller = matches[i].decided != 0 ? matches[i].decided < 0 : matches[i].log_ratio.mean < 0.0;
    ++(!differs ? record.ties : smaller ? record.wins : record.losses);
  }
  return records;
}

std::vector<Cost> costs(const Results& results, const Level& level) {
  const std::vector<FrontierPoint> points = frontier_points(results, level);
  std::vector<Cost> found;
  for (const std::string& method : results.experiment.methods) {
    std::vector<double> sizes, hardest, risks;
    Cost cost{.method = method, .lowest = std::numeric_limits<double>::infinity()};
    for (const FrontierPoint& p : points) {
      if (p.method != method) continue;
      sizes.push_back(p.size), hardest.push_back(p.hardest);
      if (p.hardest < cost.lowest) cost.lowest = p.hardest, cost.lowest_at = p.dataset;
      if (p.hardest < 1.0 - level.value() - 0.1) cost.missed.push_back(p.dataset);
      if (const Moments risk = summarise(results, {p.dataset, method, "ert", level.text()}); risk.n > 0)
        risks.push_back(risk.mean);
    }
    if (sizes.empty()) continue;
    cost.size = median_of(sizes), cost.hardest = median_of(hardest), cost.excess_risk = median_of(risks);
    found.push_back(std::move(cost));
  }
  std::ranges::stable_sort(found, std::greater{}, &Cost::hardest);
  return found;
}

std::vector<Trouble> troubles(const Results& results, const std::vector<Claim>& claims) {
  std::vector<Trouble> found;
  const Experiment& e = results.experiment;
  for (const std::string& method : e.methods) {
    Trouble trouble{.method = method};
    for (const auto& [task, failure] : results.failed) trouble.failed += task.method == method;
    for (const std::string& dataset : e.datasets)
      if (std::ranges::any_of(e.levels, [&](const Level& level) {
            return summarise(results, {dataset, method, "infinite", level.text()}).mean > 0.0;
          }))
        trouble.infinite.push_back(dataset);
    for (const Claim& claim : claims)
      for (const ClaimNumber& n : claim.numbers)
        if (claim.id == "validity" && n.method == method && (n.finding == "below" || n.finding == "above"))
          (n.finding == "below" ? trouble.below : trouble.above)
              .push_back(fmt::format("{} at {}", n.dataset, n.alpha));
    found.push_back(std::move(trouble));
  }
  return found;
}

}  // namespace lacp
