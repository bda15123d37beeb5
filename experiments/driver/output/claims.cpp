#include "output/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/conformal/registry.hpp"
#include "output/comparison.hpp"

namespace lacp {

std::string Claim::answer() const {
  if (cases == 0) return "cannot be told";
  if (2 * against > cases) return "does not hold";
  const bool too_few = unless_refuted && std::ranges::any_of(numbers, [](const ClaimNumber& n) {
                         return !std::isnan(n.value.p) && n.value.n < reference_runs;
                       });
  if (2 * in_favour <= cases || too_few) return "undecided";
  return in_favour == cases ? "holds" : "holds with exceptions";
}

std::vector<std::string> size_trained(const Results& results) {
  std::vector<std::string> names;
  for (const std::string& method : results.experiment.methods)
    if (method_traits(method).learning == Learning::size) names.push_back(method);
  return names;
}

std::string percent(double ratio) {
  if (!std::isfinite(ratio)) return std::isnan(ratio) ? "–" : "∞";
  if (ratio >= 10.0) return fmt::format("× {:.3g}", ratio);
  const double change = 100.0 * (ratio - 1.0);
  return fmt::format("{}{:.1f} %", change < 0.0 ? "−" : "+", std::abs(change));
}

std::string percent(const PairedInterval& ratio, bool significant) {
  const std::string bold = significant ? "**" : "", mean = bold + percent(ratio.mean) + bold;
  if (!std::isfinite(ratio.mean) || !std::isfinite(ratio.upper)) return mean;
  const auto end = [](double r) {
    return fmt::format("{}{:.1f}", r < 1.0 ? "−" : "+", std::abs(100.0 * (r - 1.0)));
  };
  return fmt::format("{} [{}, {}]", mean, end(ratio.lower), end(ratio.upper));
}

void correct(Claim& claim) {
  std::vector<double> p;
  for (const ClaimNumber& n : claim.numbers) p.push_back(n.value.p);
  p = holm(p);
  for (std::size_t i = 0; i < p.size(); ++i) claim.numbers[i].p_holm = p[i];
}

std::vector<Claim> claims_about(const Results& results) {
  return {claim_validity(results),  claim_efficiency(results), claim_class(results),
          claim_error_fit(results), claim_mixture(results),    claim_adaptivity(results)};
}

TextTable claims_csv(const std::vector<Claim>& claims) {
  TextTable table{{"claim", "experiment", "dataset", "method", "alpha", "quantity", "value", "lower", "upper",
                   "runs", "p", "p_holm", "finding"},
                  {},
                  "claims.csv"};
  for (const Claim& claim : claims)
    for (const ClaimNumber& n : claim.numbers)
      table.add({claim.id, n.experiment, n.dataset, n.method, n.alpha, n.quantity, number_text(n.value.mean),
                 number_text(n.value.lower), number_text(n.value.upper), std::to_string(n.value.n),
                 number_text(n.value.p), number_text(n.p_holm), n.finding});
  return table;
}

}  // namespace lacp
