#include "report/analysis/pairs.hpp"

#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

std::vector<double> Pairs::differences() const {
  std::vector<double> values;
  std::ranges::transform(first, second, std::back_inserter(values), std::minus{});
  return values;
}

std::vector<double> Pairs::log_ratios() const {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < first.size(); ++i) ratios.push_back(math::log(first[i] / second[i]));
  return ratios;
}

Pairs paired(const ByRun& first, const ByRun& second) {
  Pairs pairs;
  for (const auto& [run, value] : first)
    if (const auto other = second.find(run); other != second.end()) {
      pairs.first.push_back(value);
      pairs.second.push_back(other->second);
    }
  return pairs;
}

std::vector<SizeRatio> size_ratios(const Results& results, const std::vector<std::string>& methods,
                                   const std::vector<Level>& levels, const SizeBase& base) {
  std::vector<SizeRatio> ratios;
  for (const std::string& dataset : results.experiment.datasets) {
    if (!has_dataset(base.results, dataset)) continue;
    const double overlap = std::max(overlap_of(results, dataset), overlap_of(base.results, dataset));
    for (const std::string& method : methods)
      for (const Level& level : levels) {
        const std::string& base_method = base.method.empty() ? method : base.method;
        const Pairs sizes = paired(by_run(results, {dataset, method, size_metric, level.text()}),
                                   by_run(base.results, {dataset, base_method, size_metric, level.text()}));
        PairedInterval ratio = paired_interval(sizes.log_ratios(), overlap);
        for (double* end : {&ratio.mean, &ratio.lower, &ratio.upper}) *end = math::exp(*end);
        ratios.push_back({dataset, method, level, ratio, moments(sizes.second), moments(sizes.first)});
      }
  }
  std::vector<double> p;
  for (const SizeRatio& r : ratios) p.push_back(r.is_touched() ? r.ratio.p : NAN);
  p = holm(p);
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i].p_holm = p[i];
  return ratios;
}

std::vector<SizeRatio> shared_sizes(const Results& base, const Results& changed) {
  std::vector<SizeRatio> ratios =
      size_ratios(changed, changed.experiment.methods, changed.experiment.levels, {base});
  std::erase_if(ratios, [](const SizeRatio& r) { return r.ratio.n == 0; });
  if (ratios.empty())
    user_error("{} and {}: no task in common", base.folder.string(), changed.folder.string());
  return ratios;
}

}  // namespace lacp
