#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"
#include "output/claim_ratios.hpp"
#include "output/claims.hpp"
#include "output/labels.hpp"

namespace lacp {
namespace {

bool any(const ClaimNumber&) { return true; }

/// Every size of `methods` relative to that of `other`.
void add_relative_to(const std::string& other, const Results& results,
                     const std::vector<std::string>& methods, Claim& claim) {
  add_ratios(claim, results, methods, results.experiment.levels, {results, other}, "size / size of " + other);
}

/// One row per data set and level, one column per method.
std::string by_method(const Claim& claim) {
  return ratio_table(
      claim, {"data set", "α"},
      [](const ClaimNumber& n) {
        return std::vector{n.dataset, n.alpha};
      },
      [](const ClaimNumber& n) { return method_label(n.method); });
}

/// ". Larger: on homes at α = 0.32 (erc +3.7 %, exp +3.5 %); ..." for the comparisons with that finding; ""
/// if there is none.
std::string places(const Claim& claim, const std::string& found, const std::string& heading) {
  constexpr std::size_t most = 8;
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // a place and what is there
  for (const ClaimNumber& n : claim.numbers) {
    if (n.finding != found) continue;
    const std::string place = fmt::format("on {} at α = {}", n.dataset, n.alpha);
    auto group = std::ranges::find(groups, place, &decltype(groups)::value_type::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {place, {}});
    group->second.push_back(fmt::format("{} {}", n.method, percent(n.value.mean)));
  }
  if (groups.empty()) return "";
  std::vector<std::string> texts;
  for (const auto& [place, there] : groups) texts.push_back(fmt::format("{} ({})", place, join(there, ", ")));
  const std::size_t left_off = texts.size() > most ? texts.size() - most : 0;
  texts.resize(texts.size() - left_off);
  return fmt::format(". {}: {}{}", heading, join(texts, "; "),
                     left_off == 0 ? "" : fmt::format("; and in {}", counted(left_off, "more place")));
}

}  // namespace

Claim claim_efficiency(const Results& results) {
  Claim claim{"efficiency", "Trained intervals are smaller than those of `fixed`", "", "", {}};
  const std::vector<std::string> trained = size_trained(results);
  if (trained.empty() || !has_method(results, "fixed")) return claim;
  add_relative_to("fixed", results, trained, claim);
  if (claim.numbers.empty()) return claim;
  judge_ratios(claim);
  const Tally t = tally(claim, any);
  claim.summary = fmt::format(
      "of {} comparisons with `fixed` (data set, method, level; paired by run; Holm's correction over all {}) the trained class is significantly smaller in {}, larger in {}, undecided in {}; differences range from {} to {}",
      t.total, t.total, t.smaller, t.larger, t.total - t.smaller - t.larger, percent(t.least),
      percent(t.most));
  claim.cases = t.total, claim.in_favour = t.smaller, claim.against = t.larger;
  claim.shown = fmt::format(
      "significantly smaller in {}, larger in {}, undecided in {} of {} comparisons, {} to {}", t.smaller,
      t.larger, t.total - t.smaller - t.larger, t.total, percent(t.least), percent(t.most));
  for (std::string* text : {&claim.summary, &claim.shown}) *text += places(claim, "larger", "Larger");
  claim.detail = by_method(claim);
  return claim;
}

Claim claim_class(const Results& results) {
  Claim claim{"class", "The choice of the class is not crucial", "", "", {}};
  std::vector<std::string> others = size_trained(results);
  if (std::erase(others, "exp") == 0 || others.empty()) return claim;
  add_relative_to("exp", results, others, claim);
  judge_ratios(claim);
  claim.detail = by_method(claim);
  // Identical in law, and truly another class.
  const auto is_same = [](const ClaimNumber& n) { return n.method == "linear" || n.method == "sigma"; };
  const Tally same = tally(claim, is_same), different = tally(claim, std::not_fn(is_same));
  claim.cases = same.total + different.total;
  claim.against = same.smaller + same.larger + different.smaller + different.larger;
  claim.in_favour = claim.cases - claim.against, claim.unless_refuted = true;
  std::vector<std::string> shown;
  if (same.total > 0)
    shown.push_back(fmt::format("{} of {} sizes of linear and sigma, which are exp under other names, differ",
                                same.smaller + same.larger, same.total));
  if (different.total > 0)
    shown.push_back(
        fmt::format("{} of {} of the other classes", different.smaller + different.larger, different.total));
  claim.shown = fmt::format("against exp: {}{}{}", join(shown, "; "), places(claim, "smaller", "Smaller"),
                            places(claim, "larger", "Larger"));
  if (same.total > 0)
    claim.summary = fmt::format(
        "linear and sigma are exp under other names (φ_m⁻¹(φ_n(A)) is the same), so only their random numbers differ: {} of {} comparisons with exp are significant, and sizes differ by {} to {}",
        same.smaller + same.larger, same.total, percent(same.least), percent(same.most));
  if (different.total > 0)
    claim.summary +=
        fmt::format("{}{}he other classes against exp: {} significantly smaller, {} larger, of {}; {} to {}",
                    claim.summary.empty() ? "" : ". ", claim.summary.empty() ? "t" : "T", different.smaller,
                    different.larger, different.total, percent(different.least), percent(different.most));
  return claim;
}

Claim claim_mixture(const Results& results) {
  Claim claim{"mixture", "`mixture` is smaller than the single classes", "", "", {}};
  if (!has_method(results, "mixture")) return claim;
  std::vector<std::string> summaries;
  for (const char* other : {"exp", "erc"})
    if (has_method(results, other)) add_relative_to(other, results, {"mixture"}, claim);
  judge_ratios(claim);
  for (const std::string other : {"exp", "erc"})
    if (const Tally t = tally(claim, [&](const auto& n) { return n.quantity.ends_with(" " + other); });
        t.total > 0)
      summaries.push_back(
          fmt::format("against {} it is significantly smaller in {}, larger in {} of {} cases ({} to {})",
                      other, t.smaller, t.larger, t.total, percent(t.least), percent(t.most)));
  claim.summary = claim.shown = join(summaries, "; ");
  const Tally all = tally(claim, any);
  claim.cases = all.total, claim.in_favour = all.smaller, claim.against = all.larger;
  return claim;
}

Claim claim_error_fit(const Results& results) {
  Claim claim{"error_fit", "ERC fitted to the residuals is unstable", "", "", {}};
  const Experiment& e = results.experiment;
  if (!has_method(results, "erc_error_fit") || !has_method(results, "fixed")) return claim;
  add_relative_to("fixed", results, {"erc_error_fit"}, claim);
  if (claim.numbers.empty()) return claim;
  const std::size_t cases = claim.numbers.size();
  TextTable table{
      {"data set", "α", "size / size of fixed", "spread, error fit", "spread, fixed", "largest run"},
      {},
      "error_fit"};
  // Behind the ratios their spreads, each with a test of whether the two vary alike.
  for (std::size_t i = 0; i < cases; ++i) {
    const ClaimNumber n = claim.numbers[i];
    std::map<std::size_t, double> fit = by_run(results, {n.dataset, "erc_error_fit", size_metric, n.alpha}),
                                  fixed = by_run(results, {n.dataset, "fixed", size_metric, n.alpha});
    const Moments of_fit = moments(fit), of_fixed = moments(fixed);
    keep_common(fit, fixed);
    std::vector<double> logs, fixed_logs;
    for (const auto& [run, value] : fit)
      logs.push_back(math::log(value)), fixed_logs.push_back(math::log(fixed.at(run)));
    const double spread = of_fit.deviation / of_fit.mean, calm = of_fixed.deviation / of_fixed.mean;
    claim.numbers.push_back(
        {e.name,
         n.dataset,
         n.method,
         n.alpha,
         "std / mean of size",
         {spread, std::nan(""), std::nan(""), same_variance_p(logs, fixed_logs), of_fit.n},
         spread > 2.0 * calm ? "unsteady"
         : spread < calm     ? "calmer"
                             : "steady"});
    table.add({n.dataset, n.alpha, "", display(spread, 2), display(calm, 2),
               fmt::format("× {}", display(math::exp(std::ranges::max(log_ratios(fit, fixed))), 2))});
  }
  correct(claim);
  std::size_t worse = 0, unsteady = 0;
  for (std::size_t i = 0; i < cases; ++i) {
    ClaimNumber &ratio = claim.numbers[i], &spread = claim.numbers[cases + i];
    judge_ratio(ratio);
    table.rows[i][2] = percent(ratio.value, ratio.significant());
    worse += ratio.finding == "larger", unsteady += spread.finding == "unsteady";
    claim.in_favour += spread.finding == "unsteady" && spread.significant();
    claim.against += spread.finding == "calmer" && spread.significant();
  }
  claim.cases = cases;
  claim.summary = fmt::format(
      "with g(x)/g(0) {}, `erc_error_fit` is significantly larger than `fixed` in {} of {} cases, and its spread over runs (std / mean) is more than twice that of `fixed` in {}, significantly (Pitman and Morgan's test on the logarithms) in {}",
      e.network.divide_by_origin ? "on" : "off", worse, cases, unsteady, claim.in_favour);
  claim.shown = fmt::format(
      "spread over runs (std / mean) more than twice that of `fixed` in {} of {} cases, significantly in {}; sizes significantly larger in {}",
      unsteady, cases, claim.in_favour, worse);
  claim.detail = to_markdown(table);
  return claim;
}

}  // namespace lacp
