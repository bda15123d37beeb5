#include "output/ranks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace lacp {

double MeanRanks::rank(const std::string& method) const {
  const auto found = std::ranges::find(methods, method);
  return found == methods.end() ? std::numeric_limits<double>::quiet_NaN()
                                : ranks[static_cast<std::size_t>(found - methods.begin())];
}

std::vector<std::string> MeanRanks::like_best() const {
  std::vector<std::string> near;
  for (std::size_t i = 1; i < methods.size(); ++i)
    if (ranks[i] - ranks[0] < critical_difference) near.push_back(methods[i]);
  return near;
}

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

double mean_winkler(const Results& results, const Quantity& of, const std::vector<std::size_t>& runs) {
  const std::map<std::size_t, double> scores = by_run(results, {of.dataset, of.method, "winkler", of.alpha});
  double sum = 0.0;
  for (const std::size_t run : runs)
    sum += scores.contains(run) ? scores.at(run) : std::numeric_limits<double>::infinity();
  return sum / static_cast<double>(runs.size());
}

std::optional<MeanRanks> mean_ranks(const Results& results, const Level& level) {
  const std::vector<std::string>& methods = results.experiment.methods;
  std::vector<std::vector<double>> scores;
  for (const std::string& dataset : results.experiment.datasets) {
    const std::vector<std::size_t> runs = tried_runs(results, dataset);
    if (runs.empty()) continue;
    scores.emplace_back();
    for (const std::string& method : methods)
      scores.back().push_back(mean_winkler(results, {dataset, method, "winkler", level.text()}, runs));
  }
  if (scores.size() < 2 || methods.size() < 3) return std::nullopt;
  const FriedmanTest test = friedman_test(scores);
  std::vector<std::size_t> order(methods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return test.mean_ranks[i]; });
  MeanRanks found{.alpha = level.text(),
                  .datasets = scores.size(),
                  .p = test.p,
                  .critical_difference = test.critical_difference};
  for (const std::size_t i : order) {
    found.methods.push_back(methods[i]);
    found.ranks.push_back(test.mean_ranks[i]);
  }
  return found;
}

TextTable ranks_csv(const std::vector<MeanRanks>& levels) {
  TextTable table{
      {"alpha", "method", "rank", "datasets", "critical_difference", "friedman_p"}, {}, "ranks.csv"};
  for (const MeanRanks& r : levels)
    for (std::size_t i = 0; i < r.methods.size(); ++i)
      table.add({r.alpha, r.methods[i], number_text(r.ranks[i]), std::to_string(r.datasets),
                 number_text(r.critical_difference), number_text(r.p)});
  return table;
}

}  // namespace lacp
