#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/text.hpp"
#include "lacp/conformal/method.hpp"
#include "output/claims.hpp"
#include "output/labels.hpp"
#include "output/pool.hpp"

namespace lacp {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Adds the validity of one data set, method and level, tested against what the method promises for the
/// calibration points of each run, and the promise. Of a promise that is a range the nearer end is tested.
void add_numbers(const Results& results, const Quantity& quantity, const Level& level, Claim& claim) {
  std::vector<double> values, least, most;
  bool constant = false;
  for (const auto& [run, value] : by_run(results, quantity)) {
    const Cell& cell = results.cells.at({std::string(quantity.dataset), run, std::string(quantity.method)});
    const Promise promise = promised_validity(results.experiment, cell, level);
    values.push_back(value), least.push_back(promise.least), most.push_back(promise.most);
    constant = validity_is_constant(results.experiment, cell);
  }
  if (values.empty()) return;
  const double low = moments(least).mean, high = moments(most).mean, mean = moments(values).mean;
  const bool kept = low < high && low <= mean && mean <= high;
  const std::vector<double> tested = kept          ? std::vector<double>(values.size(), mean)
                                     : mean > high ? most
                                                   : least;
  std::vector<double> excess;
  for (std::size_t i = 0; i < values.size(); ++i) excess.push_back(values[i] - tested[i]);
  const double promise = moments(tested).mean;
  PairedInterval i = paired_interval(excess);
  i.mean += promise, i.lower += promise, i.upper += promise;
  if (kept && !std::isnan(i.p)) i.p = 1.0;
  if (constant) i.p = nan;
  const auto add = [&](const char* what, const PairedInterval& value, const char* finding) {
    claim.numbers.push_back({results.experiment.name, std::string(quantity.dataset),
                             std::string(quantity.method), level.text(), what, value, finding});
  };
  add("validity", i,
      constant          ? "constant"
      : std::isnan(i.p) ? "undecided"
      : i.upper < low   ? "below"
      : i.lower > high  ? "above"
                        : "as promised");
  add("promised validity", {low, low < high ? low : nan, low < high ? high : nan, nan, i.n}, "");
}

std::size_t count(const Claim& claim, std::string_view found) {
  return static_cast<std::size_t>(std::ranges::count(claim.numbers, found, &ClaimNumber::finding));
}

/// Mean over the numbers of a level and, if one is named, of a method.
std::string mean_text(const Claim& claim, std::string_view quantity, const Level& level,
                      std::string_view method = "") {
  std::vector<double> values;
  for (const ClaimNumber& n : claim.numbers)
    if (n.quantity == quantity && n.alpha == level.text() && (method.empty() || n.method == method))
      values.push_back(n.value.mean);
  return display(moments(values).mean);
}

/// "0.952", or "0.900–1.000" of a range: mean over data sets.
std::string promise_text(const Claim& claim, const Level& level, const std::string& method) {
  std::vector<double> most;
  for (const ClaimNumber& n : claim.numbers)
    if (n.quantity == "promised validity" && n.alpha == level.text() && n.method == method)
      most.push_back(std::isnan(n.value.upper) ? n.value.mean : n.value.upper);
  const std::string low = mean_text(claim, "promised validity", level, method),
                    high = display(moments(most).mean);
  return low == high ? low : low + "–" + high;
}

std::string detail_of(const Claim& claim, const Experiment& e) {
  TextTable table{{"method"}, {}, "validity"};
  for (const Level& level : e.levels) table.header.push_back("α = " + level.text());
  // Methods that promise the same share a row.
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> promises;
  for (const std::string& method : e.methods) {
    std::vector<std::string> row{method_label(method)};
    for (const Level& level : e.levels) {
      const auto below = std::ranges::count_if(claim.numbers, [&](const ClaimNumber& n) {
        return n.method == method && n.alpha == level.text() && n.finding == "below";
      });
      row.push_back(mean_text(claim, "validity", level, method) +
                    (below == 0 ? "" : fmt::format(" ({} below)", below)));
    }
    table.add(std::move(row));
    std::vector<std::string> promised;
    for (const Level& level : e.levels) promised.push_back(promise_text(claim, level, method));
    auto same = std::ranges::find(promises, promised, [](const auto& p) { return p.first; });
    if (same == promises.end()) same = promises.insert(same, {promised, {}});
    same->second.push_back(method_label(method));
  }
  for (auto& [texts, methods] : promises) {
    texts.insert(texts.begin(), promises.size() == 1 ? "promised" : "promised by " + join(methods, ", "));
    table.add(std::move(texts));
  }
  return to_markdown(table);
}

}  // namespace

Claim claim_validity(const Results& results) {
  Claim claim{"validity", "The intervals are marginally valid", "", "", {}};
  const Experiment& e = results.experiment;
  for (const std::string& dataset : e.datasets)
    for (const std::string& method : e.methods)
      for (const Level& level : e.levels)
        add_numbers(results, {dataset, method, "validity", level.text()}, level, claim);
  if (claim.numbers.empty()) return claim;
  const std::size_t single_below = count(claim, "below"), single_above = count(claim, "above");
  correct(claim);
  for (ClaimNumber& n : claim.numbers)
    if ((n.finding == "below" || n.finding == "above") && !n.significant()) n.finding = "as promised";

  std::vector<std::string> levels, means, promises;
  for (const Level& level : e.levels) {
    levels.push_back(level.text());
    means.push_back(mean_text(claim, "validity", level));
    promises.push_back(mean_text(claim, "promised validity", level));
  }
  const std::size_t constant = count(claim, "constant"), tested = claim.numbers.size() / 2 - constant;
  const bool ranges = std::ranges::any_of(claim.numbers, [](const ClaimNumber& n) {
    return n.quantity == "promised validity" && !std::isnan(n.value.upper);
  });
  claim.summary =
      fmt::format("mean coverage {} at α = {}, where the rank of q̂ promises {}{}", join(means, " / "),
                  join(levels, " / "), ranges ? "at least " : "", join(promises, " / "));
  claim.cases = tested, claim.against = count(claim, "below"), claim.in_favour = tested - claim.against;
  claim.unless_refuted = true;
  claim.shown = claim.summary;
  if (tested > 0) {
    claim.shown += fmt::format("; {} of {} means significantly below the promise", claim.against, tested);
    claim.summary += fmt::format(
        "; of {} means (data set, method, level) {} lie significantly below the promise and {} above it after Holm's correction over all {}, which allows for methods that share a split; without it {} and {}, where independent tests would by chance put about {:.0f} on either side",
        tested, count(claim, "below"), count(claim, "above"), tested, single_below, single_above,
        0.025 * static_cast<double>(tested));
  }
  if (constant > 0)
    claim.summary += fmt::format(
        "; {} every point of the pool is scored by leave-one-out, which makes coverage a constant of the ranks and not a measurement",
        tested == 0 ? "in all cases" : fmt::format("in {} more cases", constant));
  if (e.evaluation.quantile == QuantileRule::floor_index)
    claim.summary += "; the quantile is the released code's, one rank too low for the guarantee";
  claim.detail = detail_of(claim, e);
  return claim;
}

}  // namespace lacp
