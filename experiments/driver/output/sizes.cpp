#include "output/sizes.hpp"

#include <cmath>

#include "lacp/base/math.hpp"

namespace lacp {

std::string SizeBase::name(const std::string& dataset) const {
  const auto found = names.find(dataset);
  return found == names.end() ? dataset : found->second;
}

SizeBase base_by_published_name(const Results& results, const Results& base) {
  const auto published = [](const Results& r, const std::string& dataset) {
    const auto found = r.experiment.reference.names.find(dataset);
    return found == r.experiment.reference.names.end() ? dataset : found->second;
  };
  SizeBase paired{base};
  for (const std::string& dataset : results.experiment.datasets)
    for (const std::string& other : base.experiment.datasets)
      if (published(base, other) == published(results, dataset)) paired.names.emplace(dataset, other);
  return paired;
}

void keep_common(std::map<std::size_t, double>& a, std::map<std::size_t, double>& b) {
  std::erase_if(a, [&](const auto& item) { return !b.contains(item.first); });
  std::erase_if(b, [&](const auto& item) { return !a.contains(item.first); });
}

std::vector<double> log_ratios(const std::map<std::size_t, double>& a,
                               const std::map<std::size_t, double>& b) {
  std::vector<double> ratios;
  for (const auto& [run, value] : a)
    if (const auto other = b.find(run); other != b.end()) ratios.push_back(math::log(value / other->second));
  return ratios;
}

std::vector<SizeRatio> size_ratios(const Results& results, const std::vector<std::string>& methods,
                                   const std::vector<Level>& levels, const SizeBase& base) {
  std::vector<SizeRatio> sizes;
  for (const std::string& dataset : results.experiment.datasets) {
    const std::string other = base.name(dataset);
    if (!has_dataset(base.results, other)) continue;
    for (const std::string& method : methods)
      for (const Level& level : levels) {
        const std::string& base_method = base.method.empty() ? method : base.method;
        PairedInterval i = paired_interval(
            log_ratios(by_run(results, {dataset, method, size_metric, level.text()}, base.results),
                       by_run(base.results, {other, base_method, size_metric, level.text()})));
        i.mean = math::exp(i.mean), i.lower = math::exp(i.lower), i.upper = math::exp(i.upper);
        sizes.push_back({dataset, method, level.text(), i});
      }
  }
  return sizes;
}

}  // namespace lacp
