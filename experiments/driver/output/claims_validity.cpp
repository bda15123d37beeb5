#include <fmt/format.h>

#include <cmath>

#include "lacp/base/text.hpp"
#include "output/claims.hpp"
#include "output/labels.hpp"

namespace lacp {
namespace {

std::string judge(const PairedInterval& excess) {
  if (excess.upper < 0.0) return "below";
  return excess.lower > 0.0 ? "above" : "as promised";
}

/// Leave-one-out that scores its whole pool has a fixed share of points inside: a rank identity.
bool validity_is_constant(const Experiment& e) {
  return e.evaluation.mode == EvaluationMode::leave_one_out &&
         (e.evaluation.scored == 0 || e.evaluation.scored == e.evaluation.pool);
}

}  // namespace

Claim claim_validity(const Results& results) {
  Claim claim{"validity", "The intervals are marginally valid", "", "", {}};
  const Experiment& e = results.experiment;
  TextTable table{{"method"}, {}, "validity"};
  for (const Level& level : e.levels) table.header.push_back("α = " + level.text());
  std::size_t below = 0, above = 0, total = 0;
  std::vector<std::string> means;
  for (const std::string& method : e.methods) {
    std::vector<std::string> row{method_label(method)};
    for (const Level& level : e.levels) {
      std::vector<double> of_datasets;
      std::size_t below_here = 0;
      for (const std::string& dataset : e.datasets) {
        std::vector<double> excess;
        for (const auto& [run, value] : by_run(results, {dataset, method, "validity", level.text()}))
          excess.push_back(value - (1.0 - *parse_double(level.text())));
        if (excess.empty()) continue;
        const PairedInterval i = paired_interval(excess);
        const double target = 1.0 - *parse_double(level.text());
        const std::string found = validity_is_constant(e) ? "constant" : judge(i);
        claim.numbers.push_back({e.name, dataset, method, level.text(), "validity", target + i.mean,
                                 target + i.lower, target + i.upper, i.n, found});
        ++total;
        if (found == "below") ++below, ++below_here;
        if (found == "above") ++above;
        of_datasets.push_back(target + i.mean);
      }
      row.push_back(fmt::format("{}{}", display(moments(of_datasets).mean),
                                below_here == 0 ? "" : fmt::format(" ({} below)", below_here)));
    }
    table.add(std::move(row));
  }
  if (total == 0) return claim;
  for (const Level& level : e.levels) {
    std::vector<double> all;
    for (const ClaimNumber& n : claim.numbers)
      if (n.alpha == level.text()) all.push_back(n.value);
    means.push_back(display(moments(all).mean));
  }
  std::vector<std::string> levels;
  for (const Level& level : e.levels) levels.push_back(level.text());
  claim.summary = fmt::format("mean coverage {} at α = {}", join(means, " / "), join(levels, " / "));
  if (validity_is_constant(e))
    claim.summary +=
        "; every test point is scored by leave-one-out, which makes coverage a constant of the ranks and not a measurement";
  else
    claim.summary += fmt::format(
        "; of {} means (data set, method, level) {} lie significantly below 1 − α and {} above it, where chance alone would put about {:.0f} on either side",
        total, below, above, 0.025 * static_cast<double>(total));
  if (e.evaluation.quantile == QuantileRule::floor_index)
    claim.summary += "; the quantile is the released code's, one rank too low for the guarantee";
  claim.detail = to_markdown(table);
  return claim;
}

}  // namespace lacp
