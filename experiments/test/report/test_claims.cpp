#include "lacp/conformal/registry.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

Claim told(std::string_view id, const Results& results) {
  const std::vector<Claim> claims = claims_about(results);
  return *std::ranges::find(claims, id, &Claim::id);
}

const Row& number(const Claim& claim, std::string_view dataset, std::string_view method,
                  std::string_view alpha) {
  return row_of(claim.numbers, {{"dataset", dataset}, {"method", method}, {"alpha", alpha}});
}

}  // namespace

TEST_CASE("claims say what the made-up numbers were made to say") {
  Results results = write_sample("sample_claims/paper");
  const Claim efficiency = told("efficiency", results);
  const Row& smaller = number(efficiency, "concrete", "exp", "0.05");
  CHECK(smaller["finding"] == "smaller");  // made a tenth smaller than fixed
  CHECK(smaller.number("lower") < 0.9);
  CHECK(smaller.number("upper") > 0.9);

  const Claim error_fit = told("error_fit", results);
  CHECK(number(error_fit, "cos", "erc_error_fit", "0.1")["finding"] == "larger");  // made 1.6 times as large
  CHECK(has(error_fit.summary, "larger than `fixed` in 12 of 12"));
  CHECK(told("class", results).answer() == "holds");       // made equal
  CHECK(told("adaptivity", results).answer() == "holds");  // made steeper for fixed

  // Leave-one-out over all points is a constant.
  const Claim constant = told("validity", results);
  CHECK(constant.answer() == "no case to judge");
  CHECK(has(constant.summary, "not a measurement"));
  // A changed conclusion changes the prose.
  change_values(results, "size_mean", [](const Task& task, Measurement& m) {
    if (task.dataset == "concrete" && task.method == "exp") m.value *= 2.0;
  });
  check_has(told("efficiency", results).summary, {"larger in 3", "concrete at α = 0.05 (exp +"});
}

TEST_CASE("a rule promises the share of its rank") {
  using enum EvaluationMode;
  using enum QuantileRule;
  for (const auto& [mode, rule, points, promised] :
       {std::tuple(halves, ceiling, 77.0, 75.0 / 78.0),
        {leave_one_out, ceiling, 96.0, 92.0 / 96.0},  // ⌈96 · 0.95⌉
        {leave_one_out, floor_index, 96.0, 91.0 / 96.0},
        {halves, ceiling, 10.0, 1.0}}) {  // infinite intervals
    Experiment e;
    e.evaluation.mode = mode, e.evaluation.quantile = rule;
    Cell cell;
    cell.task.method = "exp", cell.values = {{"calibration_points", "", 0, points}};
    CHECK(promised_validity(e, cell, Level::parse("0.05")).least == promised);
  }
}

TEST_CASE("validity is tested against what the method promises with its sides and bins, not against 1 − α") {
  const std::map<std::string, double> covered = {
      {"fixed", 76.0 / 78.0}, {"erc", 0.95}, {"mixture", 75.0 / 78.0}, {"mondrian", 75.7 / 78.0}};
  Results results = write_sample("sample_claims/sides", {}, [](Experiment& e) {
    e.evaluation.mode = EvaluationMode::halves, e.evaluation.sides = Sides::each;
    e.methods = {"fixed", "erc", "mixture", "mondrian"};
  });
  for (auto& [task, cell] : results.cells)
    for (Measurement& m : cell.values) {
      if (m.metric == "calibration_points") m.value = 77.0;
      if (m.metric == "validity" && m.alpha == "0.05")
        m.value = covered.at(task.method) + 0.001 * (static_cast<double>(task.run) - 2.0);
    }
  const Claim claim = told("validity", results);
  const auto promised = [&](std::string_view method) {
    return row_of(
        claim.numbers,
        {{"dataset", "cos"}, {"method", method}, {"alpha", "0.05"}, {"quantity", "promised validity"}});
  };
  CHECK(promised("fixed").number("value") == near(76.0 / 78.0, 1e-12));  // 1 − 2 (1 − ⌈78 · 0.975⌉ / 78)
  CHECK(promised("mixture").number("value") == near(75.0 / 78.0, 1e-12));  // is no scale family: one quantile
  CHECK(promised("mondrian").number("value") == near(75.0 / 78.0, 1e-12));  // two bins: one point more or not
  CHECK(promised("mondrian").number("upper") == near(76.0 / 78.0, 1e-12));
  for (const Row& n : claim.numbers.where({{"alpha", "0.05"}, {"quantity", "validity"}}))
    CHECK_MESSAGE(n["finding"] == (n["method"] == "erc" ? "below" : "as promised"), n["method"]);
  CHECK(number(claim, "cos", "mixture", "0.05").number("lower") > 0.95);  // 0.9615 ± 0.0009
  check_has(claim.detail, "| promised by fixed, erc |");
}

TEST_CASE("with few runs nothing holds for want of a difference") {
  const Results few = write_sample(
      "sample_claims/few", {}, [](Experiment& e) { e.runs = 3, e.evaluation.mode = EvaluationMode::halves; });
  CHECK(told("class", few).cases > 0);
  CHECK(told("class", few).answer() == "undecided");
  CHECK(told("validity", few).answer() == "undecided");
  CHECK(claim_single_levels(few, {&few}).answer() != "holds");
  const Results five = write_sample("sample_claims/few", {},
                                    [](Experiment& e) { e.evaluation.mode = EvaluationMode::halves; });
  CHECK(told("validity", five).answer().starts_with("holds"));
}

TEST_CASE("a large spread of the error fit counts where it is significant") {
  Results results = write_sample("sample_claims/paper");
  const auto spread = [&](const std::vector<double>& of_fit, const std::vector<double>& of_fixed) {
    change_values(results, "size_mean", [&](const Task& task, Measurement& m) {
      if (task.method == "fixed") m.value = of_fixed[task.run];
      if (task.method == "erc_error_fit") m.value = of_fit[task.run];
    });
    return told("error_fit", results);
  };
  // Five times the spread of fixed, but in five runs that have nothing in common.
  const Claim weak = spread({1.0, 1.1, 0.9, 1.5, 1.05}, {1.0, 1.02, 1.08, 0.98, 0.94});
  CHECK(has(weak.shown, "more than twice that of `fixed` in 12 of 12 cases, significantly in 0"));
  CHECK(weak.answer() == "undecided");
  CHECK(spread({1.0, 100.0, 0.01, 1000.0, 0.001}, {1.0, 1.01, 0.99, 1.015, 0.985}).answer() == "holds");
  CHECK(spread({1.0, 1.01, 0.99, 1.015, 0.985}, {1.0, 100.0, 0.01, 1000.0, 0.001}).answer() ==
        "does not hold");
}

TEST_CASE("the answer to a claim follows from its cases") {
  for (const auto& [cases, in_favour, against, answer] : {std::tuple(0u, 0u, 0u, "no case to judge"),
                                                          {9u, 9u, 0u, "holds"},
                                                          {9u, 5u, 4u, "holds with exceptions"},
                                                          {9u, 4u, 5u, "does not hold"},
                                                          {9u, 4u, 3u, "undecided"},
                                                          {9u, 0u, 1u, "undecided"}}) {
    Claim claim;
    claim.cases = cases, claim.in_favour = in_favour, claim.against = against;
    CHECK(claim.answer() == answer);
  }
}
