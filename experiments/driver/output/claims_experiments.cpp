#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/text.hpp"
#include "output/claim_ratios.hpp"
#include "output/claims.hpp"
#include "output/labels.hpp"

// Claims that compare experiments with each other.
namespace lacp {

Claim claim_single_levels(const Results& base, const std::vector<const Results*>& singles) {
  Claim claim{
      "single_level", "Training for all levels (ℓ_all) costs nothing at a single one (ℓ_α)", "", "", {}};
  for (const Results* single : singles)
    add_ratios(claim, *single, size_trained(*single), {single->experiment.training.objective.level}, {base},
               "size / size in " + base.experiment.name);
  if (claim.numbers.empty()) return claim;
  judge_ratios(claim);
  std::vector<std::string> summaries;
  for (const Results* single : singles) {
    const std::string alpha = single->experiment.training.objective.level.text();
    const Tally t =
        tally(claim, [&](const ClaimNumber& n) { return n.experiment == single->experiment.name; });
    if (t.total > 0)
      summaries.push_back(fmt::format("at α = {} significantly smaller in {}, larger in {} of {} cases",
                                      alpha, t.smaller, t.larger, t.total));
  }
  claim.summary =
      "the size of intervals trained for one level, at that level, against that of intervals trained for all: " +
      join(summaries, "; ");
  const Tally all = tally(claim, [](const ClaimNumber&) { return true; });
  claim.cases = all.total, claim.against = all.smaller, claim.in_favour = all.total - all.smaller;
  claim.unless_refuted = true;
  claim.shown = fmt::format(
      "trained for one level, sizes at that level are significantly smaller in {}, larger in {} of {} cases",
      all.smaller, all.larger, all.total);
  claim.detail = ratio_table(
      claim, {"data set", "method"},
      [](const ClaimNumber& n) {
        return std::vector{n.dataset, method_label(n.method)};
      },
      [](const ClaimNumber& n) { return fmt::format("ℓ_α / ℓ_all at α = {}", n.alpha); });
  return claim;
}

Claim claim_protocols(const Results& a, const Results& b) {
  Claim claim{"protocols", "", "", "", {}};
  claim.title = fmt::format("What `{}` changes against `{}`", a.experiment.name, b.experiment.name);
  const SizeBase base = base_by_published_name(a, b);
  for (const std::string& dataset : a.experiment.datasets)
    for (const char* method : {"fixed", "exp"})
      for (const Level& level : a.experiment.levels) {
        const std::string other = base.name(dataset);
        if (!has_dataset(b, other)) continue;
        const Moments ours = summarise(a, {dataset, method, size_metric, level.text()});
        const Moments theirs = summarise(b, {other, method, size_metric, level.text()});
        claim.numbers.push_back(
            {a.experiment.name,
             dataset,
             method,
             level.text(),
             fmt::format("mean size / mean size of {} in {}", other, b.experiment.name),
             {ours.mean / theirs.mean, std::nan(""), std::nan(""), welch_test(ours, theirs).p, ours.n},
             ""});
      }
  correct(claim);
  std::vector<double> ratios;
  for (ClaimNumber& n : claim.numbers) {
    n.finding = n.significant() ? "different" : "undecided";
    if (n.method == "fixed" && std::isfinite(n.value.mean)) ratios.push_back(n.value.mean);
  }
  if (ratios.empty()) return claim;
  const auto [low, high] = std::ranges::minmax(ratios);
  claim.summary = fmt::format(
      "sizes of `fixed` change by {} to {} (bold in the table: Welch's p < 0.05 after Holm's correction over its {} ratios)",
      percent(low), percent(high), claim.numbers.size());
  claim.detail = ratio_table(
      claim, {"data set", "method"},
      [&](const ClaimNumber& n) {
        const std::string other = base.name(n.dataset);
        return std::vector{other == n.dataset ? other : n.dataset + " / " + other, n.method};
      },
      [](const ClaimNumber& n) { return "size ratio, α = " + n.alpha; });
  return claim;
}

}  // namespace lacp
