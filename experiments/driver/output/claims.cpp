#include "output/claims.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lacp/conformal/registry.hpp"

namespace lacp {

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

std::string percent(const PairedInterval& ratio) {
  if (!std::isfinite(ratio.mean) || !std::isfinite(ratio.upper)) return percent(ratio.mean);
  const auto end = [](double r) {
    return fmt::format("{}{:.1f}", r < 1.0 ? "−" : "+", std::abs(100.0 * (r - 1.0)));
  };
  const std::string bold = finding(ratio) == "undecided" ? "" : "**";
  return fmt::format("{0}{1}{0} [{2}, {3}]", bold, percent(ratio.mean), end(ratio.lower), end(ratio.upper));
}

std::string finding(const PairedInterval& ratio) {
  if (ratio.upper < 1.0) return "smaller";
  if (ratio.lower > 1.0) return "larger";
  return "undecided";
}

std::vector<Claim> claims_about(const Results& results) {
  return {claim_validity(results),  claim_efficiency(results), claim_class(results),
          claim_error_fit(results), claim_mixture(results),    claim_adaptivity(results)};
}

TextTable claims_csv(const std::vector<Claim>& claims) {
  TextTable table{{"claim", "experiment", "dataset", "method", "alpha", "quantity", "value", "lower", "upper",
                   "runs", "finding"},
                  {},
                  "claims.csv"};
  for (const Claim& claim : claims)
    for (const ClaimNumber& n : claim.numbers)
      table.add({claim.id, n.experiment, n.dataset, n.method, n.alpha, n.quantity, number_text(n.value),
                 number_text(n.lower), number_text(n.upper), std::to_string(n.runs), n.finding});
  return table;
}

}  // namespace lacp
