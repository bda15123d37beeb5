#include "report/analysis/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/metrics.hpp"
#include "lacp/base/math.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
#include "report/analysis/choice.hpp"
#include "report/analysis/pairs.hpp"
#include "report/analysis/table.hpp"

namespace lacp {
namespace {

/// Holm's correction over all numbers of the claim that have a p-value. It holds for dependent tests too.
void correct(Claim& claim) {
  const std::vector<double> p = holm(claim.numbers.numbers("p"));
  for (std::size_t i = 0; i < p.size(); ++i) claim.numbers.rows[i].set("p_holm", p[i]);
}

/// Methods of the experiment that are trained by the size objective.
std::vector<std::string> size_trained(const Results& results) {
  std::vector<std::string> names = results.experiment.methods;
  std::erase_if(names, [](const auto& method) { return find_method(method).learning != Learning::size; });
  return names;
}

/// Adds the ratios that at least two runs give.
void add_ratios(Claim& claim, const Results& results, const std::vector<std::string>& methods,
                const std::vector<Level>& levels, const SizeBase& base) {
  const std::string quantity =
      "size / size " + (base.method.empty() ? "in " + base.results.experiment.name : "of " + base.method);
  for (const Row& s : size_ratios(results, methods, levels, base))
    if (s.number("runs") >= 2)
      claim.add(results, s["dataset"], s["method"], s["alpha"], quantity,
                {s.number("ratio"), s.number("lower"), s.number("upper"), s.number("p"), s.count("runs")},
                "");
}

void judge_ratio(Row& n) {
  const char* finding = n.number("value") < 1.0 ? "smaller" : "larger";
  n.set("finding", is_significant(n) ? finding : "undecided");
}

/// Smaller sizes speak for the claim, larger ones against it.
Tally judge_ratios(Claim& claim) {
  correct(claim);
  std::ranges::for_each(claim.numbers.rows, judge_ratio);
  const Tally all = tally(claim.numbers);
  claim.cases = all.total;
  claim.in_favour = all.smaller;
  claim.against = all.larger;
  return all;
}

/// A claim that there is no difference of some kind; `against` is how many there are.
void judge_unless(Claim& claim, std::size_t against) {
  claim.against = against;
  claim.in_favour = claim.cases - against;
  claim.unless_refuted = true;
}

/// What validity is found against the promise of `low` to `high`.
const char* validity_finding(const PairedInterval& validity, bool constant, double low, double high) {
  if (constant) return "constant";
  if (std::isnan(validity.p)) return "undecided";
  if (validity.upper < low) return "below";
  return validity.lower > high ? "above" : "as promised";
}

/// Adds the validity of one data set, method and level, tested against what the method promises for the
/// calibration points of each run, and the promise. Of a promise that is a range the nearer end is tested.
void add_validity(const Results& results, const std::string& dataset, const std::string& method,
                  const Level& level, Claim& claim) {
  std::vector<double> values, least, most;
  bool constant = false;
  for (const auto& [run, value] : by_run(results, {dataset, method, "validity", level.text()})) {
    const Cell& cell = results.cells.at({dataset, run, method});
    const Promise promise = promised_validity(results.experiment, cell, level);
    values.push_back(value);
    least.push_back(promise.least);
    most.push_back(promise.most);
    constant = validity_is_constant(results.experiment, cell);
  }
  if (values.empty()) return;
  const double low = moments(least).mean, high = moments(most).mean, mean = moments(values).mean;
  const bool kept = low < high && low <= mean && mean <= high;
  std::vector<double> tested = mean > high ? most : least;
  if (kept) tested.assign(values.size(), mean);
  const double promise = moments(tested).mean;
  PairedInterval i = paired_interval(Pairs{values, tested}.differences(), overlap_of(results, dataset));
  i.mean += promise;
  i.lower += promise;
  i.upper += promise;
  if (kept && !std::isnan(i.p)) i.p = 1.0;
  if (constant) i.p = NAN;
  claim.add(results, dataset, method, level.text(), "validity", i, validity_finding(i, constant, low, high));
  claim.add(results, dataset, method, level.text(), "promised validity",
            {low, low < high ? low : NAN, low < high ? high : NAN, NAN, i.n}, "");
}

/// A quantity of adaptivity, of one data set and method, at the middle level.
ByRun adaptivity_of(const Results& results, std::size_t which, const std::string& dataset,
                    const std::string& method, const std::string& alpha) {
  Quantity q = adaptivity_quantities()[which].second;
  q.dataset = dataset;
  q.method = method;
  q.alpha = alpha;
  return by_run(results, q);
}

}  // namespace

std::string Claim::answer() const {
  if (cases == 0) return "no case to judge";
  if (2 * against > cases) return "does not hold";
  const bool too_few = unless_refuted && std::ranges::any_of(numbers, [](const Row& n) {
                         return !std::isnan(n.number("p")) && n.number("runs") < reference_runs;
                       });
  if (2 * in_favour <= cases || too_few) return "undecided";
  return in_favour == cases ? "holds" : "holds with exceptions";
}

void Claim::add(const Results& results, const std::string& dataset, const std::string& method,
                const std::string& alpha, const std::string& quantity, const PairedInterval& value,
                const char* finding) {
  numbers.add({id, results.experiment.name, dataset, method, alpha, quantity, value.mean, value.lower,
               value.upper, value.n, value.p, NAN, finding});
}

bool is_significant(const Row& number) { return number.number("p_holm") < error_rate; }

Tally tally(const Frame& numbers) {
  Tally t;
  for (const Row& n : numbers) {
    ++t.total;
    t.smaller += n["finding"] == "smaller";
    t.larger += n["finding"] == "larger";
    t.least = std::min(t.least, n.number("value"));
    t.most = std::max(t.most, n.number("value"));
  }
  return t;
}

std::string adaptive_method(const Results& results) {
  const std::vector<std::string> trained = size_trained(results);
  return has_method(results, "exp") || trained.empty() ? "exp" : trained.front();
}

const std::vector<std::pair<std::string, Quantity>>& adaptivity_quantities() {
  static const std::vector<std::pair<std::string, Quantity>> list = {
      {"coverage, easiest tenth", {"", "", "coverage_by_error", "", 1}},
      {"coverage, hardest tenth", {"", "", "coverage_by_error", "", 10}},
      {fmt::format("worst slab of {} directions", slab_directions), {"", "", "worst_slab_coverage", "", 0}},
      {"worst quarter by size", {"", "", "stratified_coverage", "", 0}},
      {"rank correlation of size and error", {"", "", "size_error_correlation", "", 0}}};
  return list;
}

Promise promised_validity(const Experiment& e, const Cell& cell, const Level& level) {
  const std::size_t calibration = points_of(cell, "calibration_points");
  if (calibration == 0) return {1.0 - level.value(), 1.0 - level.value()};
  const std::vector<Level> levels = fitted_levels(e, cell.task);
  return promised_coverage(find_method(cell.task.method), e.evaluation.sides,
                           {.level = level,
                            .points = calibration,
                            .rule = e.evaluation.quantile,
                            .leave_one_out = e.evaluation.mode == EvaluationMode::leave_one_out,
                            .all = &levels});
}

Claim judge_validity(const Results& results) {
  Claim claim{.id = "validity"};
  const Experiment& e = results.experiment;
  for (const std::string& dataset : e.datasets)
    for (const std::string& method : e.methods)
      for (const Level& level : e.levels) add_validity(results, dataset, method, level, claim);
  correct(claim);
  for (Row& n : claim.numbers.rows)
    if ((n["finding"] == "below" || n["finding"] == "above") && !is_significant(n))
      n.set("finding", "as promised");
  claim.cases = claim.numbers.size() / 2 - claim.numbers.where({{"finding", "constant"}}).size();
  judge_unless(claim, claim.numbers.where({{"finding", "below"}}).size());
  return claim;
}

Claim judge_efficiency(const Results& results) {
  Claim claim{.id = "efficiency"};
  if (!has_method(results, "fixed")) return claim;
  add_ratios(claim, results, size_trained(results), results.experiment.levels, {results, "fixed"});
  judge_ratios(claim);
  return claim;
}

Claim judge_class(const Results& results) {
  Claim claim{.id = "class"};
  std::vector<std::string> others = size_trained(results);
  if (std::erase(others, "exp") == 0) return claim;
  add_ratios(claim, results, others, results.experiment.levels, {results, "exp"});
  const Tally all = judge_ratios(claim);
  judge_unless(claim, all.smaller + all.larger);
  return claim;
}

Claim judge_mixture(const Results& results) {
  Claim claim{.id = "mixture"};
  if (!has_method(results, "mixture")) return claim;
  for (const char* other : {"exp", "erc"})
    if (has_method(results, other))
      add_ratios(claim, results, {"mixture"}, results.experiment.levels, {results, other});
  judge_ratios(claim);
  return claim;
}

Claim judge_error_fit(const Results& results) {
  Claim claim{.id = "error_fit", .beside = Frame({"dataset", "alpha", "spread", "fixed", "largest"})};
  if (!has_method(results, "erc_error_fit") || !has_method(results, "fixed")) return claim;
  add_ratios(claim, results, {"erc_error_fit"}, results.experiment.levels, {results, "fixed"});
  // Behind the ratios their spreads, each with a test of whether the two vary alike.
  const Frame ratios = claim.numbers;
  for (const Row& n : ratios) {
    const ByRun fit = by_run(results, {n["dataset"], "erc_error_fit", size_metric, n["alpha"]}),
                fixed = by_run(results, {n["dataset"], "fixed", size_metric, n["alpha"]});
    const Moments of_fit = moments(fit), of_fixed = moments(fixed);
    const double spread = of_fit.deviation / of_fit.mean, calm = of_fixed.deviation / of_fixed.mean;
    Pairs sizes = paired(fit, fixed);
    claim.beside.add(
        {n["dataset"], n["alpha"], spread, calm, math::exp(std::ranges::max(sizes.log_ratios()))});
    for (std::vector<double>* side : {&sizes.first, &sizes.second})
      for (double& size : *side) size = math::log(size);
    const char* finding = spread < calm ? "calmer" : "steady";
    if (spread > 2.0 * calm) finding = "unsteady";
    claim.add(results, n["dataset"], n["method"], n["alpha"], "std / mean of size",
              {spread, NAN, NAN, same_variance_p(sizes.first, sizes.second), of_fit.n}, finding);
  }
  correct(claim);
  claim.cases = ratios.size();
  for (std::size_t i = 0; i < claim.cases; ++i) {
    judge_ratio(claim.numbers.rows[i]);
    const Row& spread = claim.numbers.rows[claim.cases + i];
    claim.in_favour += spread["finding"] == "unsteady" && is_significant(spread);
    claim.against += spread["finding"] == "calmer" && is_significant(spread);
  }
  return claim;
}

Claim judge_adaptivity(const Results& results) {
  Claim claim{.id = "adaptivity"};
  const Experiment& e = results.experiment;
  const std::string alpha = drawn_level(e).text(), chosen = adaptive_method(results);
  const auto& quantities = adaptivity_quantities();
  for (const std::string& dataset : e.datasets)
    for (const std::string& method : e.methods)
      for (std::size_t k = 0; k < quantities.size(); ++k) {
        PairedInterval i = paired_interval(values_of(adaptivity_of(results, k, dataset, method, alpha)),
                                           overlap_of(results, dataset));
        i.p = NAN;  // a test against zero means nothing here
        if (i.n > 0) claim.add(results, dataset, method, alpha, quantities[k].first, i, "");
      }
  // The cases: coverage of the hardest tenth less that by `fixed`, with Holm's correction over the data sets.
  for (const std::string& dataset : e.datasets) {
    const Pairs pairs = paired(adaptivity_of(results, 1, dataset, chosen, alpha),
                               adaptivity_of(results, 1, dataset, "fixed", alpha));
    if (pairs.first.size() > 1)
      claim.add(results, dataset, chosen, alpha, "coverage, hardest tenth, less that of fixed",
                paired_interval(pairs.differences(), overlap_of(results, dataset)), "undecided");
  }
  correct(claim);
  claim.cases = claim.numbers.where({{"finding", "undecided"}}).size();
  for (Row& n : claim.numbers.rows)
    if (n["finding"] == "undecided" && is_significant(n)) {
      const bool more = n.number("value") > 0.0;
      ++(more ? claim.in_favour : claim.against);
      n.set("finding", more ? "larger" : "smaller");
    }
  return claim;
}

Claim judge_single_levels(const Results& base, const std::vector<const Results*>& singles) {
  Claim claim{.id = "single_level"};
  for (const Results* single : singles)
    add_ratios(claim, *single, size_trained(*single), {single->experiment.training.objective.level}, {base});
  judge_unless(claim, judge_ratios(claim).smaller);
  return claim;
}

Claim judge_protocols(const Results& a, const Results& b) {
  Claim claim{.id = "protocols"};
  const SizeBase base = base_by_published_name(a, b);
  for (const std::string& dataset : a.experiment.datasets)
    for (const char* method : {"fixed", "exp"})
      for (const Level& level : a.experiment.levels) {
        const std::string other = base.name(dataset);
        if (!has_dataset(b, other)) continue;
        Moments ours = summarise(a, {dataset, method, size_metric, level.text()});
        Moments theirs = summarise(b, {other, method, size_metric, level.text()});
        ours.overlap = overlap_of(a, dataset);
        theirs.overlap = overlap_of(b, other);
        claim.add(a, dataset, method, level.text(),
                  fmt::format("mean size / mean size of {} in {}", other, b.experiment.name),
                  {ours.mean / theirs.mean, NAN, NAN, welch_test(ours, theirs).p, ours.n}, "");
      }
  correct(claim);
  for (Row& n : claim.numbers.rows) n.set("finding", is_significant(n) ? "different" : "undecided");
  return claim;
}

}  // namespace lacp
