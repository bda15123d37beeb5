#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/text.hpp"
#include "output/claims.hpp"
#include "output/labels.hpp"

namespace lacp {
namespace {

struct Tally {
  std::size_t total = 0, smaller = 0, larger = 0;
  double least = 1e300, most = 0.0;  ///< ratios

  void count(const PairedInterval& ratio) {
    ++total;
    if (finding(ratio) == "smaller") ++smaller;
    if (finding(ratio) == "larger") ++larger;
    least = std::min(least, ratio.mean);
    most = std::max(most, ratio.mean);
  }
};

/// One row per data set and level, one column per method: its size relative to `other`.
Tally compare_sizes(const Results& results, const std::vector<std::string>& methods, const std::string& other,
                    Claim& claim) {
  Tally tally;
  TextTable table{{"data set", "α"}, {}, claim.id};
  for (const std::string& method : methods) table.header.push_back(method_label(method));
  for (const std::string& dataset : results.experiment.datasets)
    for (const Level& level : results.experiment.levels) {
      std::vector<std::string> row{dataset, level.text()};
      for (const std::string& method : methods) {
        const PairedInterval i = relative_size(results, dataset, method, other, level.text());
        row.push_back(percent(i));
        if (i.n < 2) continue;
        tally.count(i);
        claim.numbers.push_back({results.experiment.name, dataset, method, level.text(),
                                 "size / size of " + other, i.mean, i.lower, i.upper, i.n, finding(i)});
      }
      table.add(std::move(row));
    }
  claim.detail = to_markdown(table);
  return tally;
}

/// "homes at 0.32 (erc +4.1 %), ..." for the comparisons with a finding.
std::string places(const Claim& claim, const std::string& found, std::size_t most) {
  std::vector<std::string> texts;
  for (const ClaimNumber& n : claim.numbers)
    if (n.finding == found)
      texts.push_back(fmt::format("{} at {} ({} {})", n.dataset, n.alpha, n.method, percent(n.value)));
  const std::size_t left_off = texts.size() > most ? texts.size() - most : 0;
  texts.resize(texts.size() - left_off);
  return join(texts, ", ") + (left_off == 0 ? "" : fmt::format(" and {} more", left_off));
}

}  // namespace

Claim claim_efficiency(const Results& results) {
  Claim claim{"efficiency", "All trained classes are more efficient than `fixed`", "", "", {}};
  const std::vector<std::string> trained = size_trained(results);
  if (trained.empty() || !has_method(results, "fixed")) return claim;
  const Tally t = compare_sizes(results, trained, "fixed", claim);
  if (t.total == 0) return claim;
  claim.summary = fmt::format(
      "of {} comparisons with `fixed` (data set, method, level; paired by run) the trained class is significantly smaller in {}, larger in {}, undecided in {}; differences range from {} to {}",
      t.total, t.smaller, t.larger, t.total - t.smaller - t.larger, percent(t.least), percent(t.most));
  if (t.larger > 0) claim.summary += ". Larger: " + places(claim, "larger", 8);
  return claim;
}

Claim claim_class(const Results& results) {
  Claim claim{"class", "The choice of the class is not crucial", "", "", {}};
  std::vector<std::string> others = size_trained(results);
  if (std::erase(others, "exp") == 0 || others.empty()) return claim;
  compare_sizes(results, others, "exp", claim);
  Tally same, different;  // identical in law, and truly another class
  for (const ClaimNumber& n : claim.numbers) {
    const PairedInterval i{n.value, n.lower, n.upper, 1.0, n.runs};
    (n.method == "linear" || n.method == "sigma" ? same : different).count(i);
  }
  if (same.total > 0)
    claim.summary = fmt::format(
        "linear and sigma are exp under other names (φ_m⁻¹(φ_n(A)) is the same), so only their random numbers differ: {} of {} comparisons with exp are significant, about {:.0f} would be by chance, and sizes differ by {} to {}",
        same.smaller + same.larger, same.total, 0.05 * static_cast<double>(same.total), percent(same.least),
        percent(same.most));
  if (different.total > 0)
    claim.summary +=
        fmt::format("{}{}he other classes against exp: {} significantly smaller, {} larger, of {}; {} to {}",
                    claim.summary.empty() ? "" : ". ", claim.summary.empty() ? "t" : "T", different.smaller,
                    different.larger, different.total, percent(different.least), percent(different.most));
  return claim;
}

Claim claim_mixture(const Results& results) {
  Claim claim{"mixture", "Does `mixture` beat the single classes?", "", "", {}};
  if (!has_method(results, "mixture")) return claim;
  std::vector<std::string> summaries;
  TextTable table{{"data set", "α"}, {}, "mixture"};
  for (const std::string other : {"exp", "erc"}) {
    if (!has_method(results, other)) continue;
    Claim part{"mixture", "", "", "", {}};
    const Tally t = compare_sizes(results, {"mixture"}, other, part);
    if (t.total == 0) continue;
    summaries.push_back(
        fmt::format("against {} it is significantly smaller in {}, larger in {} of {} cases ({} to {})",
                    other, t.smaller, t.larger, t.total, percent(t.least), percent(t.most)));
    claim.numbers.insert(claim.numbers.end(), part.numbers.begin(), part.numbers.end());
  }
  claim.summary = join(summaries, "; ");
  return claim;
}

Claim claim_error_fit(const Results& results) {
  Claim claim{"error_fit", "ERC fitted to the residuals is unstable", "", "", {}};
  const Experiment& e = results.experiment;
  if (!has_method(results, "erc_error_fit") || !has_method(results, "fixed")) return claim;
  TextTable table{
      {"data set", "α", "size / size of fixed", "spread, error fit", "spread, fixed", "largest run"},
      {},
      "error_fit"};
  std::size_t worse = 0, unsteady = 0, total = 0;
  for (const std::string& dataset : e.datasets)
    for (const Level& level : e.levels) {
      const auto of = [&](const char* method) {
        return summarise(results, {dataset, method, size_metric, level.text()});
      };
      const PairedInterval ratio = relative_size(results, dataset, "erc_error_fit", "fixed", level.text());
      if (ratio.n < 2) continue;
      const Moments fit = of("erc_error_fit"), fixed = of("fixed");
      double largest = 0.0;
      for (const double log_ratio :
           log_ratios(by_run(results, {dataset, "erc_error_fit", size_metric, level.text()}),
                      by_run(results, {dataset, "fixed", size_metric, level.text()})))
        largest = std::max(largest, std::exp(log_ratio));
      const double spread = fit.deviation / fit.mean, calm = fixed.deviation / fixed.mean;
      ++total;
      if (ratio.lower > 1.0) ++worse;
      if (!(spread <= 2.0 * calm)) ++unsteady;
      claim.numbers.push_back({e.name, dataset, "erc_error_fit", level.text(), "size / size of fixed",
                               ratio.mean, ratio.lower, ratio.upper, ratio.n, finding(ratio)});
      claim.numbers.push_back({e.name, dataset, "erc_error_fit", level.text(), "std / mean of size", spread,
                               std::nan(""), std::nan(""), fit.n,
                               spread <= 2.0 * calm ? "steady" : "unsteady"});
      table.add({dataset, level.text(), percent(ratio), display(spread, 2), display(calm, 2),
                 fmt::format("× {}", display(largest, 2))});
    }
  if (total == 0) return claim;
  claim.summary = fmt::format(
      "with g(x)/g(0) {}, `erc_error_fit` is significantly larger than `fixed` in {} of {} cases, and its spread over runs (std / mean) is more than twice that of `fixed` in {}",
      e.network.divide_by_origin ? "on" : "off", worse, total, unsteady);
  claim.detail = to_markdown(table);
  return claim;
}

}  // namespace lacp
