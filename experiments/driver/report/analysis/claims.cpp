#include "report/analysis/claims.hpp"

#include <algorithm>
#include <cmath>

#include "common/frame.hpp"
#include "experiment/metrics.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
#include "report/analysis/choice.hpp"

namespace lacp {
namespace {

/// Methods of the experiment that are trained by the size objective.
std::vector<std::string> size_trained(const Results& results) {
  std::vector<std::string> names = results.experiment.methods;
  std::erase_if(names, [](const auto& method) { return find_method(method).learning != Learning::size; });
  return names;
}

/// Holm's correction over all cases with a p-value. It holds for dependent tests too.
void correct(Claim& claim) {
  std::vector<double> p;
  for (const Case& one : claim.cases) p.push_back(one.value.p);
  p = holm(p);
  for (std::size_t i = 0; i < p.size(); ++i) claim.cases[i].p_holm = p[i];
}

/// A case for each ratio that at least two runs give.
Claim ratio_claim(Question question, const Results& results, const std::vector<std::string>& methods,
                  const std::vector<Level>& levels, const SizeBase& base) {
  Claim claim{question, results.experiment.name, {}};
  for (const SizeRatio& r : size_ratios(results, methods, levels, base))
    if (r.ratio.n >= 2) claim.cases.push_back({r.dataset, r.method, r.level, r.ratio, NAN});
  correct(claim);
  return claim;
}

/// Whether a ratio lies within ± `size_margin`, or outside.
Finding finding_of_likeness(const PairedInterval& ratio) {
  const double low = 1.0 / (1.0 + size_margin), high = 1.0 + size_margin;
  if (ratio.lower >= low && ratio.upper <= high) return Finding::supports;
  return ratio.upper < low || ratio.lower > high ? Finding::against : Finding::open;
}

/// Validity of one data set, method and level less what the method promises for the calibration points of
/// each run; nothing if it is a constant. The standard error is not below the binomial one: equal runs of few
/// points are no proof.
std::optional<Case> validity_case(const Results& results, const std::string& dataset,
                                  const std::string& method, const Level& level) {
  std::vector<double> values, promised;
  double scored = 0.0;
  for (const auto& [run, value] : by_run(results, {dataset, method, "validity", level.text()})) {
    const Cell& cell = results.cells.at({dataset, run, method});
    if (validity_is_constant(results.experiment, cell)) return std::nullopt;
    values.push_back(value);
    promised.push_back(promised_validity(results.experiment, cell, level).least);
    scored = static_cast<double>(points_of(cell, "scored_points"));
  }
  if (values.empty()) return std::nullopt;
  const double promise = mean_of(promised);
  const double binomial = scored == 0.0 ? 0.0 : std::sqrt(promise * (1.0 - promise) / scored);
  PairedInterval interval =
      paired_interval(Pairs{values, promised}.differences(), overlap_of(results, dataset), binomial);
  for (double* end : {&interval.mean, &interval.lower, &interval.upper}) *end += promise;
  return Case{dataset, method, level, interval, promise};
}

Claim judge_validity(const Results& results) {
  Claim claim{Question::validity, results.experiment.name, {}};
  for (const std::string& dataset : results.experiment.datasets)
    for (const std::string& method : results.experiment.methods)
      for (const Level& level : results.experiment.levels)
        if (auto one = validity_case(results, dataset, method, level)) claim.cases.push_back(*one);
  correct(claim);
  for (Case& one : claim.cases)
    if (one.value.lower >= one.promised - validity_margin)
      one.finding = Finding::supports;
    else if (one.p_holm < error_rate && one.value.mean < one.promised)
      one.finding = Finding::against;
  return claim;
}

Claim judge_efficiency(const Results& results) {
  if (!has_method(results, "fixed")) return {Question::efficiency, results.experiment.name, {}};
  Claim claim = ratio_claim(Question::efficiency, results, size_trained(results), results.experiment.levels,
                            {results, "fixed"});
  for (Case& one : claim.cases)
    if (one.p_holm < error_rate) one.finding = one.value.mean < 1.0 ? Finding::supports : Finding::against;
  return claim;
}

Claim judge_classes(const Results& results) {
  std::vector<std::string> others = size_trained(results);
  if (std::erase(others, "exp") == 0) return {Question::classes, results.experiment.name, {}};
  Claim claim = ratio_claim(Question::classes, results, others, results.experiment.levels, {results, "exp"});
  for (Case& one : claim.cases) one.finding = finding_of_likeness(one.value);
  return claim;
}

Claim judge_error_fit(const Results& results) {
  Claim claim{Question::error_fit, results.experiment.name, {}};
  if (!has_method(results, "erc_error_fit") || !has_method(results, "fixed")) return claim;
  for (const std::string& dataset : results.experiment.datasets)
    for (const Level& level : results.experiment.levels) {
      const ByRun fit = by_run(results, {dataset, "erc_error_fit", size_metric, level.text()}),
                  fixed = by_run(results, {dataset, "fixed", size_metric, level.text()});
      Pairs sizes = paired(fit, fixed);
      if (sizes.first.size() < 2) continue;
      for (std::vector<double>* side : {&sizes.first, &sizes.second})
        for (double& size : *side) size = math::log(size);
      const Moments of_fit = moments(fit), of_fixed = moments(fixed);
      const double factor = of_fit.deviation / of_fit.mean / (of_fixed.deviation / of_fixed.mean);
      const PairedInterval value{factor, NAN, NAN, same_variance_p(sizes.first, sizes.second), of_fit.n};
      claim.cases.push_back({dataset, "erc_error_fit", level, value, NAN});
    }
  correct(claim);
  for (Case& one : claim.cases) {
    const bool differs = one.p_holm < error_rate;
    if (differs && one.value.mean > spread_factor) one.finding = Finding::supports;
    if (differs && one.value.mean < 1.0) one.finding = Finding::against;
  }
  return claim;
}

Claim judge_adaptivity(const Results& results) {
  Claim claim{Question::adaptivity, results.experiment.name, {}};
  const Level& level = drawn_level(results.experiment);
  for (const std::string& dataset : results.experiment.datasets)
    for (const std::string& method : size_trained(results)) {
      const auto hardest = [&](std::string_view name) {
        return by_run(results, {dataset, name, "coverage_by_error", level.text(), 10});
      };
      const Pairs pairs = paired(hardest(method), hardest("fixed"));
      if (pairs.first.size() < 2) continue;
      const PairedInterval more = paired_interval(pairs.differences(), overlap_of(results, dataset));
      claim.cases.push_back({dataset, method, level, more, NAN});
    }
  correct(claim);
  for (Case& one : claim.cases)
    if (one.p_holm < error_rate) one.finding = one.value.mean > 0.0 ? Finding::supports : Finding::against;
  return claim;
}

constexpr QuestionWords questions[] = {
    {"validity", "The intervals are marginally valid", "95 % interval above the promise − 0.02"},
    {"efficiency", "Trained intervals are smaller than those of `fixed`", "significantly smaller"},
    {"class", "The choice of the class is not crucial", "95 % interval within ± 10 % of `exp`"},
    {"error_fit", "ERC fitted to the residuals is unstable", "std / mean over twice that of `fixed`"},
    {"adaptivity", "The hardest tenth is covered more often than by `fixed`", "significantly higher"},
    {"single_level", "Training for all levels costs nothing at one", "95 % interval above − 10 %"}};
constexpr const char* findings[] = {"supports", "open", "against"};
constexpr const char* answers[] = {"no case",     "holds",     "holds with exceptions",
                                   "not refuted", "undecided", "does not hold"};

}  // namespace

const char* words_of(Answer answer) { return answers[static_cast<std::size_t>(answer)]; }

const QuestionWords& words_of(Question question) { return questions[static_cast<std::size_t>(question)]; }

std::size_t Claim::count(Finding finding) const {
  return static_cast<std::size_t>(std::ranges::count(cases, finding, &Case::finding));
}

Answer Claim::answer() const {
  const std::size_t all = cases.size(), supports = count(Finding::supports),
                    against = count(Finding::against);
  if (all == 0) return Answer::nothing;
  if (supports == all) return Answer::holds;
  if (2 * against > all) return Answer::does_not_hold;
  if (against == 0) return Answer::not_refuted;
  return 2 * supports > all ? Answer::holds_with_exceptions : Answer::undecided;
}

std::vector<Claim> claims_about(const Results& results) {
  return {judge_validity(results), judge_efficiency(results), judge_classes(results),
          judge_error_fit(results), judge_adaptivity(results)};
}

Claim claim_all_levels(const Results& base, const Results& single) {
  Claim claim = ratio_claim(Question::all_levels, single, size_trained(single),
                            {single.experiment.training.objective.level}, {base});
  for (Case& one : claim.cases) {
    if (one.value.lower >= 1.0 / (1.0 + size_margin)) one.finding = Finding::supports;
    if (one.p_holm < error_rate && one.value.mean < 1.0) one.finding = Finding::against;
  }
  return claim;
}

std::string claims_csv(const std::vector<Claim>& claims) {
  Frame table({"claim", "experiment", "dataset", "method", "alpha", "value", "lower", "upper", "promised",
               "runs", "p", "p_holm", "finding"});
  for (const Claim& claim : claims)
    for (const Case& one : claim.cases)
      table.add({words_of(claim.question).name, claim.experiment, one.dataset, one.method, one.level.text(),
                 one.value.mean, one.value.lower, one.value.upper, one.promised, one.value.n, one.value.p,
                 one.p_holm, findings[static_cast<std::size_t>(one.finding)]});
  return to_text(table);
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

}  // namespace lacp
