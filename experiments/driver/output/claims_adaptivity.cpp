#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/text.hpp"
#include "lacp/conformal/slab.hpp"
#include "output/claims.hpp"
#include "output/labels.hpp"

namespace lacp {
namespace {

PairedInterval over_runs(const Results& results, const Quantity& quantity) {
  std::vector<double> values;
  for (const auto& [run, value] : by_run(results, quantity)) values.push_back(value);
  PairedInterval i = paired_interval(values);
  i.p = std::nan("");  // a test against zero means nothing here
  return i;
}

/// What is shown for one data set and method at the middle level.
const std::vector<std::pair<std::string, Quantity>>& quantities() {
  static const std::vector<std::pair<std::string, Quantity>> list = {
      {"coverage, easiest tenth", {"", "", "coverage_by_error", "", 1}},
      {"coverage, hardest tenth", {"", "", "coverage_by_error", "", 10}},
      {fmt::format("worst slab of {} directions", slab_directions), {"", "", "worst_slab_coverage", "", 0}},
      {"worst quarter by size", {"", "", "stratified_coverage", "", 0}},
      {"rank correlation of size and error", {"", "", "size_error_correlation", "", 0}}};
  return list;
}

/// Coverage of the hardest tenth by a method less that by `fixed`, paired by run, with Holm's correction over
/// the data sets; these are the cases of the claim.
void compare_hardest(Claim& claim, const Results& results, const std::string& method,
                     const std::string& alpha) {
  const Experiment& e = results.experiment;
  for (const std::string& dataset : e.datasets) {
    Quantity q = quantities()[1].second;
    q.dataset = dataset, q.method = method, q.alpha = alpha;
    const std::map<std::size_t, double> of_method = by_run(results, q);
    q.method = "fixed";
    std::vector<double> differences;
    for (const auto& [run, value] : by_run(results, q))
      if (const auto found = of_method.find(run); found != of_method.end())
        differences.push_back(found->second - value);
    if (differences.size() < 2) continue;
    claim.numbers.push_back({e.name, dataset, method, alpha, "coverage, hardest tenth, less that of fixed",
                             paired_interval(differences), "undecided"});
  }
  correct(claim);
  for (ClaimNumber& n : claim.numbers) {
    if (n.finding != "undecided") continue;
    ++claim.cases;
    if (!n.significant()) continue;
    ++(n.value.mean > 0.0 ? claim.in_favour : claim.against);
    n.finding = n.value.mean > 0.0 ? "larger" : "smaller";
  }
}

}  // namespace

Claim claim_adaptivity(const Results& results) {
  Claim claim{"adaptivity",
              "The intervals adapt: points with large errors are covered more often than by `fixed`",
              "",
              "",
              {}};
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
        claim.numbers.push_back({e.name, dataset, method, alpha, label, i, ""});
      }
      if (any) table.add(std::move(row));
    }
  if (claim.numbers.empty()) return claim;

  const auto mean_of = [&](const std::string& method, const std::string& label) {
    std::vector<double> values;
    for (const ClaimNumber& n : claim.numbers)
      if (n.method == method && n.quantity == label && std::isfinite(n.value.mean))
        values.push_back(n.value.mean);
    return moments(values).mean;
  };
  const std::vector<std::string> trained = size_trained(results);
  const std::string chosen = has_method(results, "exp") || trained.empty() ? "exp" : trained.front();
  compare_hardest(claim, results, chosen, alpha);
  std::vector<std::string> named{"fixed", chosen};
  if (chosen != "mixture") named.push_back("mixture");
  for (const std::string& method : named) {
    if (!has_method(results, method)) continue;
    claim.summary += fmt::format(
        "{}`{}` covers {} of the tenth of the points with the smallest local error and {} of that with the largest",
        claim.summary.empty() ? fmt::format("at α = {}, mean over data sets, ", alpha) : "; ", method,
        display(mean_of(method, quantities()[0].first)), display(mean_of(method, quantities()[1].first)));
  }
  if (has_method(results, chosen))
    claim.summary += fmt::format(". The size of `{}` has a rank correlation of {} with the error", chosen,
                                 display(mean_of(chosen, quantities()[4].first), 2));
  claim.shown =
      claim.cases == 0
          ? claim.summary
          : fmt::format(
                "at α = {} `{}` covers {} of the tenth of the points with the largest error, `fixed` {}; significantly more on {} of {}",
                alpha, chosen, display(mean_of(chosen, quantities()[1].first)),
                display(mean_of("fixed", quantities()[1].first)), claim.in_favour,
                counted(claim.cases, "data set"));
  claim.detail = to_markdown(table);
  return claim;
}

}  // namespace lacp
