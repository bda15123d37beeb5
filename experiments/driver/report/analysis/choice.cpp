#include "report/analysis/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "report/analysis/pairs.hpp"

namespace lacp {
namespace {

constexpr double no_score = std::numeric_limits<double>::infinity();

/// The score of each run that was tried; infinite where the task failed.
ByRun tried(const Results& results, const std::string& dataset, const std::string& method,
            const Level& level) {
  ByRun scores = by_run(results, {dataset, method, "winkler", level.text()});
  for (const auto& [task, failure] : results.failed)
    if (task.dataset == dataset && task.method == method) scores[task.run] = no_score;
  return scores;
}

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

/// Wilcoxon's test of each method against the best, over data sets, with Holm's correction; NaN for the best.
std::vector<double> against_best(const std::vector<std::vector<double>>& scores, std::size_t best) {
  std::vector<double> p;
  for (std::size_t method = 0; method < scores.front().size(); ++method) {
    std::vector<double> ratios;
    for (const std::vector<double>& on_dataset : scores)
      ratios.push_back(math::log(on_dataset[method] / on_dataset[best]));
    p.push_back(method == best ? std::nan("") : wilcoxon_p(ratios));
  }
  return holm(p);
}

bool all_finite(const std::vector<double>& scores) {
  return std::ranges::all_of(scores, [](double score) { return std::isfinite(score); });
}

}  // namespace

bool compares_intervals(const Results& results) {
  return !results.in_part && has_method(results, "fixed") &&
         std::ranges::any_of(results.experiment.methods, [&](const std::string& m) {
           return m == "adapt" || m == "cqr" || (m == "forest" && results.experiment.datasets.size() == 1);
         });
}

const Level& drawn_level(const Experiment& e) { return middle_of(e.levels); }

Frame mean_ranks(const Results& results) {
  Frame ranks({"alpha", "method", "rank", "datasets", "critical_difference", "friedman_p", "p_holm"});
  const std::vector<std::string>& methods = results.experiment.methods;
  for (const Level& level : results.experiment.levels) {
    std::vector<std::vector<double>> scores;
    for (const std::string& dataset : results.experiment.datasets) {
      const std::vector<std::size_t> runs = tried_runs(results, dataset);
      if (runs.empty()) continue;
      scores.emplace_back();
      for (const std::string& method : methods) {
        const ByRun of_runs = by_run(results, {dataset, method, "winkler", level.text()});
        double sum = 0.0;
        for (const std::size_t run : runs) sum += of_runs.contains(run) ? of_runs.at(run) : no_score;
        scores.back().push_back(sum / static_cast<double>(runs.size()));
      }
    }
    if (scores.size() < 2 || methods.size() < 3) continue;
    const FriedmanTest test = friedman_test(scores);
    std::vector<std::size_t> order(methods.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return test.mean_ranks[i]; });
    const std::vector<double> p = against_best(scores, order.front());
    for (const std::size_t i : order)
      ranks.add({level.text(), methods[i], test.mean_ranks[i], scores.size(), test.critical_difference,
                 test.p, p[i]});
  }
  return ranks;
}

bool is_like_best(const Row& method) { return !(method.number("p_holm") < error_rate); }

Frame records_against(const Results& results, const std::string& base, const Level& level) {
  Frame records({"method", "wins", "ties", "losses", "ratio"});
  struct Match {  // on one data set
    std::size_t record;
    double log_ratio;  ///< mean
    bool decided;      ///< one side alone has a finite score; log_ratio is ±1 then
  };
  std::vector<Match> matches;
  std::vector<double> p;
  for (const std::string& method : results.experiment.methods) {
    if (method == base) continue;
    std::vector<double> ratios;
    for (const std::string& dataset : results.experiment.datasets) {
      const Pairs scores =
          paired(tried(results, dataset, method, level), tried(results, dataset, base, level));
      if (scores.first.empty()) continue;
      const PairedInterval log_ratio = paired_interval(scores.log_ratios(), overlap_of(results, dataset));
      const bool sound = all_finite(scores.first), other_sound = all_finite(scores.second);
      if (sound && other_sound) ratios.push_back(math::exp(log_ratio.mean));
      p.push_back(sound && other_sound ? log_ratio.p : std::nan(""));
      const bool decided = sound != other_sound;
      const double by_soundness = sound ? -1.0 : 1.0;
      matches.push_back({records.size(), decided ? by_soundness : log_ratio.mean, decided});
    }
    records.add({method, 0, 0, 0, median_of(ratios)});
  }
  p = holm(p);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const char* column = matches[i].log_ratio < 0.0 ? "wins" : "losses";
    if (!matches[i].decided && !(p[i] < error_rate)) column = "ties";
    Row& record = records.rows[matches[i].record];
    record.set(column, record.count(column) + 1);
  }
  return records;
}

Frame costs(const Results& results, const Level& level) {
  const std::vector<std::string>& methods = results.experiment.methods;
  const Frame ratios = size_ratios(results, methods, {level}, {results, "fixed"});
  Frame found({"method", "size", "hardest", "lowest", "lowest_at", "excess_risk", "missed"});
  for (const std::string& method : methods) {
    std::vector<double> sizes, coverages, risks;
    std::vector<std::string> datasets, missed;
    for (const Row& s : ratios.where({{"method", method}})) {
      const std::string& dataset = s["dataset"];
      const Moments hardest = summarise(results, {dataset, method, "coverage_by_error", level.text(), 10}),
                    risk = summarise(results, {dataset, method, "ert", level.text()});
      if (s.number("runs") == 0 || hardest.n == 0 || std::isnan(s.number("ratio"))) continue;
      datasets.push_back(dataset);
      sizes.push_back(s.number("ratio"));
      coverages.push_back(hardest.mean);
      if (hardest.mean < 1.0 - level.value() - 0.1) missed.push_back(dataset);
      if (risk.n > 0) risks.push_back(risk.mean);
    }
    if (datasets.empty()) continue;
    const auto lowest = std::ranges::min_element(coverages);
    found.add({method, median_of(sizes), median_of(coverages), *lowest,
               datasets[static_cast<std::size_t>(lowest - coverages.begin())], median_of(risks),
               join(missed, ", ")});
  }
  std::ranges::stable_sort(found.rows, std::greater{}, [](const Row& c) { return c.number("hardest"); });
  return found;
}

Frame troubles(const Results& results, const Frame& validity) {
  Frame found({"method", "failed", "infinite", "below", "above"});
  const Experiment& e = results.experiment;
  for (const std::string& method : e.methods) {
    const auto failed =
        std::ranges::count_if(results.failed, [&](const auto& item) { return item.first.method == method; });
    std::vector<std::string> infinite, below, above;
    for (const std::string& dataset : e.datasets)
      if (std::ranges::any_of(e.levels, [&](const Level& level) {
            return summarise(results, {dataset, method, "infinite", level.text()}).mean > 0.0;
          }))
        infinite.push_back(dataset);
    for (const Row& n : validity)
      if (n["method"] == method && (n["finding"] == "below" || n["finding"] == "above"))
        (n["finding"] == "below" ? below : above)
            .push_back(fmt::format("{} at {}", n["dataset"], n["alpha"]));
    found.add({method, failed, join(infinite, ", "), join(below, ", "), join(above, ", ")});
  }
  return found;
}

}  // namespace lacp
