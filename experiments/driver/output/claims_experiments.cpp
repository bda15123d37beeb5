#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/text.hpp"
#include "output/claims.hpp"
#include "output/labels.hpp"

// Claims that compare experiments with each other.
namespace lacp {

Claim claim_single_levels(const Results& base, const std::vector<const Results*>& singles) {
  Claim claim{"single_level", "The objective needs no relaxation: ℓ_all against ℓ_α", "", "", {}};
  TextTable table{{"data set", "method"}, {}, ""};
  std::vector<std::string> summaries;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> rows;
  for (std::size_t k = 0; k < singles.size(); ++k) {
    const Results& single = *singles[k];
    const std::string alpha = single.experiment.training.objective.level.text();
    table.header.push_back(fmt::format("ℓ_α / ℓ_all at α = {}", alpha));
    std::size_t total = 0, smaller = 0, larger = 0;
    for (const std::string& dataset : single.experiment.datasets)
      for (const std::string& method : size_trained(single)) {
        const Quantity size{dataset, method, size_metric, alpha};
        const PairedInterval i = relative_size(single, size, base, size);
        if (i.n < 2) continue;
        ++total;
        if (finding(i) == "smaller") ++smaller;
        if (finding(i) == "larger") ++larger;
        claim.numbers.push_back({single.experiment.name, dataset, method, alpha,
                                 "size / size in " + base.experiment.name, i.mean, i.lower, i.upper, i.n,
                                 finding(i)});
        auto& row = rows[{dataset, method}];
        row.resize(singles.size(), "–");
        row[k] = percent(i);
      }
    if (total > 0)
      summaries.push_back(fmt::format("at α = {} significantly smaller in {}, larger in {} of {} cases",
                                      alpha, smaller, larger, total));
  }
  if (summaries.empty()) return claim;
  for (const std::string& dataset : base.experiment.datasets)
    for (const std::string& method : base.experiment.methods)
      if (const auto found = rows.find({dataset, method}); found != rows.end()) {
        std::vector<std::string> row{dataset, method_label(method)};
        row.insert(row.end(), found->second.begin(), found->second.end());
        table.add(std::move(row));
      }
  claim.summary =
      "the size of intervals trained for one level, at that level, against that of intervals trained for all: " +
      join(summaries, "; ");
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
