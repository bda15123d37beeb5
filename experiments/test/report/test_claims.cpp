// Claims: the cases that speak for and against each, and the answers.
#include <cmath>

#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp_program.hpp"
#include "near.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

Claim told(Question question, const Results& results) {
  const std::vector<Claim> claims = claims_about(results);
  return *std::ranges::find(claims, question, &Claim::question);
}

const Case& one_of(const Claim& claim, std::string_view dataset, std::string_view method, const char* alpha) {
  return *std::ranges::find_if(claim.cases, [&](const Case& one) {
    return one.dataset == dataset && one.method == method && one.level == Level::parse(alpha);
  });
}

}  // namespace

TEST_CASE("claims say what the made-up numbers were made to say") {
  Results results = write_sample("sample_claims/paper");
  const Claim efficiency = told(Question::efficiency, results);
  CHECK(efficiency.cases.size() == 4 * 5 * 3);  // erc, linear, exp, sigma, mixture
  const Case& smaller = one_of(efficiency, "cos", "exp", "0.05");
  CHECK(smaller.finding == Finding::supports);  // made a tenth smaller than fixed
  CHECK((smaller.value.lower < 0.9 && smaller.value.upper > 0.9));
  CHECK(told(Question::classes, results).answer() == Answer::holds);     // made equal
  CHECK(told(Question::adaptivity, results).answer() == Answer::holds);  // made steeper for fixed
  change_values(results, "size_mean", [](const Task& task, Measurement& m) {
    if (task.dataset == "concrete" && task.method == "exp") m.value *= 2.0;
  });
  CHECK(told(Question::efficiency, results).count(Finding::against) == 3);
  CHECK(told(Question::classes, results).count(Finding::against) == 4 * 3);
}

TEST_CASE("a likeness needs an interval within the margin; a wide one is not refuted, and no more") {
  Results results = write_sample("sample_claims/wide");
  change_values(results, "size_mean", [](const Task& task, Measurement& m) {
    if (task.method == "erc") m.value *= 1.0 + 0.3 * (static_cast<double>(task.run) - 2.0);
  });
  const Claim classes = told(Question::classes, results);
  CHECK(one_of(classes, "cos", "erc", "0.1").finding == Finding::open);
  CHECK(one_of(classes, "cos", "sigma", "0.1").finding == Finding::supports);
  CHECK(classes.answer() == Answer::not_refuted);
}

TEST_CASE("runs of real sets overlap as the split says, those of synthetic ones do not") {
  Results results = write_sample("sample_claims/paper");
  results.experiment.split = {.proper = 0.3, .train = 0.3, .test = 0.4};
  CHECK(overlap_of(results, "energy_y1") == near(0.4 / 0.6, 1e-12));
  CHECK(overlap_of(results, "cos") == 0.0);
}

TEST_CASE("leave-one-out over all points is a constant, and no case") {
  Results results = write_sample("sample_claims/paper");
  CHECK(told(Question::validity, results).answer() == Answer::nothing);
  results.experiment.evaluation.mode = EvaluationMode::halves;
  CHECK(told(Question::validity, results).cases.size() == 4 * 7 * 3);
}

TEST_CASE("equal runs of few points are no proof against validity; many points are") {
  Results results = write_sample("sample_claims/equal", {},
                                 [](Experiment& e) { e.evaluation.mode = EvaluationMode::halves; });
  const auto with = [&](double share, double points) {
    for (auto& [task, cell] : results.cells)
      for (Measurement& m : cell.values) {
        if (m.metric == "validity") m.value = share * (1.0 - Level::parse(m.alpha).value());
        if (m.metric == "scored_points") m.value = points;
        if (m.metric == "calibration_points") m.value = 96.0;
      }
    return told(Question::validity, results);
  };
  const Claim few = with(0.99, 50.0);
  CHECK(few.count(Finding::against) == 0);
  CHECK(few.answer() == Answer::not_refuted);
  for (const Case& one : few.cases) CHECK(one.value.p > 0.0);
  CHECK(with(0.9, 100000.0).answer() == Answer::does_not_hold);
}

TEST_CASE("a rule promises the share of its rank, a method with bins or sides its own") {
  using enum EvaluationMode;
  using enum QuantileRule;
  for (const auto& [mode, rule, points, promised] :
       {std::tuple(halves, ceiling, 77.0, 75.0 / 78.0),
        {leave_one_out, ceiling, 96.0, 92.0 / 96.0},  // ⌈96 · 0.95⌉
        {leave_one_out, floor_index, 96.0, 91.0 / 96.0},
        {halves, ceiling, 10.0, 1.0}}) {  // infinite intervals
    Experiment e;
    e.evaluation.mode = mode;
    e.evaluation.quantile = rule;
    Cell cell;
    cell.task.method = "exp";
    cell.values = {{"calibration_points", "", 0, points}};
    CHECK(promised_validity(e, cell, Level::parse("0.05")).least == promised);
    e.evaluation.sides = Sides::each;
    if (mode == halves && points == 77.0)  // 1 − 2 (1 − ⌈78 · 0.975⌉ / 78)
      CHECK(promised_validity(e, cell, Level::parse("0.05")).least == near(76.0 / 78.0, 1e-12));
  }
}

TEST_CASE("a large spread of the error fit counts where it is significant") {
  Results results = write_sample("sample_claims/paper");
  const auto spread = [&](const std::vector<double>& of_fit, const std::vector<double>& of_fixed) {
    change_values(results, "size_mean", [&](const Task& task, Measurement& m) {
      if (task.method == "fixed") m.value = of_fixed[task.run];
      if (task.method == "erc_error_fit") m.value = of_fit[task.run];
    });
    return told(Question::error_fit, results).answer();
  };
  const std::vector<double> calm = {1.0, 1.01, 0.99, 1.015, 0.985}, wild = {1.0, 100.0, 0.01, 1000.0, 0.001};
  // Five times the spread of fixed, but in five runs that have nothing in common.
  CHECK(spread({1.0, 1.1, 0.9, 1.5, 1.05}, {1.0, 1.02, 1.08, 0.98, 0.94}) == Answer::not_refuted);
  CHECK(spread(wild, calm) == Answer::holds);
  CHECK(spread(calm, wild) == Answer::does_not_hold);
}

TEST_CASE("training for one level: nothing is said for want of a difference") {
  const Results base = write_sample("sample_claims/base");
  Results single = base;
  single.experiment.training.objective.kind = Objective::one_level;
  single.experiment.training.objective.level = Level::parse("0.1");
  const Claim same = claim_all_levels(base, single);
  CHECK(same.cases.size() == 4 * 5);  // at that level
  CHECK(same.answer() == Answer::holds);
  change_values(single, "size_mean", [](const Task& task, Measurement& m) {
    m.value *= 1.0 + 0.3 * (static_cast<double>(task.run) - 2.0);
  });
  CHECK(claim_all_levels(base, single).answer() == Answer::not_refuted);
}

TEST_CASE("the answer to a claim follows from its cases") {
  const auto answer = [](std::size_t cases, std::size_t supports, std::size_t against) {
    Claim claim{Question::efficiency, "", std::vector(cases, Case{"d", "m", Level::parse("0.1"), {}})};
    for (std::size_t i = 0; i < supports; ++i) claim.cases[i].finding = Finding::supports;
    for (std::size_t i = 0; i < against; ++i) claim.cases[supports + i].finding = Finding::against;
    return claim.answer();
  };
  CHECK(answer(0, 0, 0) == Answer::nothing);
  CHECK(answer(9, 9, 0) == Answer::holds);
  CHECK(answer(9, 5, 4) == Answer::holds_with_exceptions);
  CHECK(answer(9, 4, 5) == Answer::does_not_hold);
  CHECK(answer(9, 4, 3) == Answer::undecided);
  CHECK(answer(9, 8, 0) == Answer::not_refuted);
  CHECK(answer(9, 0, 1) == Answer::undecided);
}
