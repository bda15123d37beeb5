#include <cmath>

#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"
#include "near.hpp"
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
  CHECK(efficiency.numbers.size() == 4 * 5 * 3);  // erc, linear, exp, sigma, mixture
  const Row& smaller = number(efficiency, "cos", "exp", "0.05");
  CHECK(smaller["finding"] == "smaller");  // made a tenth smaller than fixed
  CHECK(smaller.number("lower") < 0.9);
  CHECK(smaller.number("upper") > 0.9);

  const Claim error_fit = told("error_fit", results);
  CHECK(number(error_fit, "cos", "erc_error_fit", "0.1")["finding"] == "larger");  // made 1.6 times as large
  CHECK(has(error_fit.summary, "larger than `fixed` in 12 of 12"));
  CHECK(told("class", results).answer() == "holds");       // made equal
  CHECK(told("adaptivity", results).answer() == "holds");  // made steeper for fixed

  // A changed conclusion changes the prose.
  change_values(results, "size_mean", [](const Task& task, Measurement& m) {
    if (task.dataset == "concrete" && task.method == "exp") m.value *= 2.0;
  });
  check_has(told("efficiency", results).summary, {"larger in 3", "concrete at α = 0.05 (exp +"});
}

TEST_CASE("runs of real sets overlap as the split says, those of synthetic ones do not, in every test") {
  const auto halves = [](std::uint64_t seed) {
    return write_sample("sample_claims/halves", {}, [&](Experiment& e) {
      e.evaluation.mode = EvaluationMode::halves;
      e.split = {.proper = 0.3, .train = 0.3, .test = 0.4};
      e.seed = seed;
    });
  };
  const Results results = halves(1), other = halves(2);
  CHECK(overlap_of(results, "concrete") == near(0.2 / 0.6, 1e-12));  // half of the test rows are scored
  CHECK(overlap_of(results, "cos") == 0.0);
  const auto sum_of_p = [](const Claim& claim, const std::string& dataset) {
    double sum = 0.0;
    for (const double p : claim.numbers.where({{"dataset", dataset}}).numbers("p"))
      sum += std::isnan(p) ? 0.0 : p;
    return sum;
  };
  Results independent = results, other_independent = other;
  independent.synthetic = other_independent.synthetic = results.experiment.datasets;
  std::vector<Claim> claims = claims_about(results), without = claims_about(independent);
  claims.push_back(claim_protocols(results, other));
  without.push_back(claim_protocols(independent, other_independent));
  for (std::size_t i = 0; i < claims.size(); ++i) {
    CAPTURE(claims[i].id);
    CHECK(sum_of_p(claims[i], "concrete") > sum_of_p(without[i], "concrete"));
    CHECK(sum_of_p(claims[i], "cos") == sum_of_p(without[i], "cos"));
  }
  // By hand: the interval of one ratio.
  double sum = 0.0, squares = 0.0;
  for (std::size_t run = 0; run < 5; ++run) {
    const auto size = [&](const char* method) {
      return results.cells.at({"concrete", run, method}).value("size_mean", "0.05").value();
    };
    const double log_ratio = std::log(size("exp") / size("fixed"));
    sum += log_ratio;
    squares += log_ratio * log_ratio;
  }
  const double variance = (squares - sum * sum / 5.0) / 4.0;
  const Claim efficiency = told("efficiency", results);
  const Row& ratio = number(efficiency, "concrete", "exp", "0.05");
  CHECK(std::log(ratio.number("upper") / ratio.number("value")) ==
        near_share(2.776445105 * std::sqrt(variance * (1.0 / 5.0 + 0.2 / 0.6)), 1e-6));
}

TEST_CASE("leave-one-out over all points is called a constant") {
  Results results = write_sample("sample_claims/paper");
  const Claim constant = told("validity", results);
  CHECK(constant.answer() == "no case to judge");
  CHECK(has(constant.summary, "not a measurement"));
  for (const Row& n : constant.numbers) CHECK(std::isnan(n.number("p_holm")));
  results.experiment.evaluation.mode = EvaluationMode::halves;
  CHECK_FALSE(has(told("validity", results).summary, "not a measurement"));
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
  for (const Row& n : claim.numbers)
    if (n["alpha"] == "0.05" && n["quantity"] == "validity") {
      CAPTURE(n["method"]);
      CHECK(n["finding"] == (n["method"] == "erc" ? "below" : "as promised"));
    }
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
  struct Case {
    std::size_t cases, in_favour, against;
    const char* answer;
  };
  for (const auto& [cases, in_favour, against, answer] : {Case{0, 0, 0, "no case to judge"},
                                                          {9, 9, 0, "holds"},
                                                          {9, 5, 4, "holds with exceptions"},
                                                          {9, 4, 5, "does not hold"},
                                                          {9, 4, 3, "undecided"},
                                                          {9, 0, 0, "undecided"},
                                                          {9, 0, 1, "undecided"}}) {
    Claim claim;
    claim.cases = cases, claim.in_favour = in_favour, claim.against = against;
    CHECK(claim.answer() == answer);
  }
}
