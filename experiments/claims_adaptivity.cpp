#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "claims.hpp"
#include "labels.hpp"

namespace lacp {
namespace {

PairedInterval over_runs(const Results& results, const Quantity& quantity) {
  std::vector<double> values;
  for (const auto& [run, value] : by_run(results, quantity)) values.push_back(value);
  return paired_interval(values);
}

/// What is shown for one data set and method at the middle level.
const std::vector<std::pair<std::string, Quantity>>& quantities() {
  static const std::vector<std::pair<std::string, Quantity>> list = {
      {"coverage, easiest tenth", {"", "", "coverage_by_error", "", 1}},
      {"coverage, hardest tenth", {"", "", "coverage_by_error", "", 10}},
      {"worst slab", {"", "", "worst_slab_coverage", "", 0}},
      {"worst quarter by size", {"", "", "stratified_coverage", "", 0}},
      {"rank correlation of size and error", {"", "", "size_error_correlation", "", 0}}};
  return list;
}

}  // namespace

Claim claim_adaptivity(const Results& results) {
  Claim claim{"adaptivity", "Do the intervals adapt?", "", "", {}};
  const Experiment& e = results.experiment;
  const std::string alpha = e.levels[e.levels.size() / 2].text();
  TextTable table{{"data set", "method"}, {}, "adaptivity"};
  for (const auto& [label, quantity] : quantities()) table.header.push_back(label);
  for (const std::string& dataset : e.datasets)
    for (const std::string& method : e.methods) {
      std::vector<std::string> row{dataset, method_label(method)};
      bool any = false;
      for (const auto& [label, quantity] : quantities()) {
        Quantity q = quantity;
        q.dataset = dataset, q.method = method, q.alpha = alpha;
        const PairedInterval i = over_runs(results, q);
        row.push_back(display(i.mean));
        if (i.n == 0) continue;
        any = true;
        claim.numbers.push_back({e.name, dataset, method, alpha, label, i.mean, i.lower, i.upper, i.n, ""});
      }
      if (any) table.add(std::move(row));
    }
  if (claim.numbers.empty()) return claim;

  const auto mean_of = [&](const std::string& method, const std::string& label) {
    std::vector<double> values;
    for (const ClaimNumber& n : claim.numbers)
      if (n.method == method && n.quantity == label && std::isfinite(n.value)) values.push_back(n.value);
    return moments(values).mean;
  };
  for (const char* method : {"fixed", "exp", "mixture"}) {
    if (!has_method(results, method)) continue;
    claim.summary += fmt::format(
        "{}`{}` covers {} of the tenth of the points with the smallest local error and {} of that with the "
        "largest",
        claim.summary.empty() ? fmt::format("at α = {}, mean over data sets, ", alpha) : "; ", method,
        display(mean_of(method, quantities()[0].first)), display(mean_of(method, quantities()[1].first)));
  }
  if (has_method(results, "exp"))
    claim.summary += fmt::format(". The size of exp has a rank correlation of {} with the error",
                                 display(mean_of("exp", quantities()[4].first), 2));
  claim.detail = to_markdown(table);
  return claim;
}

Claim claim_single_level(const Results& base, const Results& single) {
  const std::string alpha = single.experiment.training.objective.level.text();
  Claim claim{"single_level", "ℓ_all needs no relaxation: against ℓ_α, trained for one level", "", "", {}};
  TextTable table{
      {"data set", "method", fmt::format("size of ℓ_α / size of ℓ_all at α = {}", alpha)}, {}, ""};
  std::size_t total = 0, smaller = 0, larger = 0;
  for (const std::string& dataset : single.experiment.datasets)
    for (const std::string& method : size_trained(single)) {
      // Both experiments draw split and KNN from streams of the same name, so runs are pairs.
      const auto of_single = by_run(single, {dataset, method, size_metric, alpha});
      const auto of_base = by_run(base, {dataset, method, size_metric, alpha});
      std::vector<double> ratios;
      for (const auto& [run, value] : of_single)
        if (const auto other = of_base.find(run); other != of_base.end())
          ratios.push_back(std::log(value / other->second));
      PairedInterval i = paired_interval(ratios);
      if (i.n < 2) continue;
      i.mean = std::exp(i.mean), i.lower = std::exp(i.lower), i.upper = std::exp(i.upper);
      ++total;
      if (finding(i) == "smaller") ++smaller;
      if (finding(i) == "larger") ++larger;
      claim.numbers.push_back({single.experiment.name, dataset, method, alpha,
                               "size / size in " + base.experiment.name, i.mean, i.lower, i.upper, i.n,
                               finding(i)});
      table.add({dataset, method, percent(i)});
    }
  if (total == 0) return claim;
  claim.summary = fmt::format(
      "training for α = {} alone makes the intervals at that level significantly smaller in {} and larger in "
      "{} of "
      "{} cases",
      alpha, smaller, larger, total);
  claim.detail = to_markdown(table);
  return claim;
}

Claim claim_protocols(const Results& a, const Results& b, const std::map<std::string, std::string>& renamed) {
  Claim claim{"protocols", "", "", "", {}};
  claim.title = fmt::format("What `{}` changes against `{}`", a.experiment.name, b.experiment.name);
  TextTable table{{"data set", "method"}, {}, ""};
  for (const Level& level : a.experiment.levels) table.header.push_back("size ratio, α = " + level.text());
  for (const std::string& dataset : a.experiment.datasets) {
    const auto other_name = renamed.find(dataset);
    const std::string other = other_name == renamed.end() ? dataset : other_name->second;
    if (!has_dataset(b, other)) continue;
    for (const std::string method : {"fixed", "exp"}) {
      std::vector<std::string> row{other == dataset ? dataset : dataset + " / " + other, method};
      for (const Level& level : a.experiment.levels) {
        const Moments ours = summarise(a, {dataset, method, size_metric, level.text()});
        const Moments theirs = summarise(b, {other, method, size_metric, level.text()});
        const WelchTest test = welch_test(ours, theirs);
        const double ratio = ours.mean / theirs.mean;
        row.push_back(fmt::format("{}{}", percent(ratio), test.p < 0.05 ? " *" : ""));
        claim.numbers.push_back({a.experiment.name, dataset, method, level.text(),
                                 fmt::format("mean size / mean size of {} in {}", other, b.experiment.name),
                                 ratio, std::nan(""), std::nan(""), ours.n,
                                 test.p < 0.05 ? "different" : "undecided"});
      }
      table.add(std::move(row));
    }
  }
  std::vector<double> ratios;
  for (const ClaimNumber& n : claim.numbers)
    if (n.method == "fixed" && std::isfinite(n.value)) ratios.push_back(n.value);
  if (ratios.empty()) return claim;
  const auto [low, high] = std::ranges::minmax(ratios);
  claim.summary = fmt::format("sizes of `fixed` change by {} to {} (* in the table: Welch's p < 0.05)",
                              percent(low), percent(high));
  claim.detail = to_markdown(table);
  return claim;
}

}  // namespace lacp
