#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "output/pool.hpp"
#include "output/report.hpp"
#include "sample_results.hpp"

using namespace lacp;
namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const ClaimNumber& number(const Claim& claim, std::string_view dataset, std::string_view method,
                          std::string_view alpha) {
  for (const ClaimNumber& n : claim.numbers)
    if (n.dataset == dataset && n.method == method && n.alpha == alpha) return n;
  throw std::logic_error("no such number");
}

}  // namespace

TEST_CASE("claims say what the made-up numbers were made to say") {
  const Results results = write_sample("sample_report/paper");

  const Claim efficiency = claim_efficiency(results);
  CHECK(efficiency.numbers.size() == 4 * 5 * 3);  // erc, linear, exp, sigma, mixture
  const ClaimNumber& smaller = number(efficiency, "concrete", "exp", "0.05");
  CHECK(smaller.finding == "smaller");  // made a tenth smaller than fixed
  CHECK(smaller.value.lower < 0.9);
  CHECK(smaller.value.upper > 0.9);
  CHECK(contains(efficiency.summary, "of 60 comparisons"));

  const Claim error_fit = claim_error_fit(results);
  CHECK(number(error_fit, "cos", "erc_error_fit", "0.1").finding == "larger");  // made 1.6 times as large
  CHECK(contains(error_fit.summary, "larger than `fixed` in 12 of 12"));

  const Claim same = claim_class(results);
  for (const ClaimNumber& n : same.numbers)
    CHECK(std::abs(n.value.mean - 1.0) < 0.06);  // 2 % on each side, 5 runs
  CHECK(contains(same.summary, "of 24 comparisons with exp are significant"));

  const Claim adaptivity = claim_adaptivity(results);
  CHECK(contains(adaptivity.summary, "`fixed` covers 0.9"));
  CHECK(number(adaptivity, "cos", "fixed", "0.1").value.mean >
        number(adaptivity, "cos", "exp", "0.1").value.mean);
  CHECK(contains(claim_validity(results).detail, "fixed"));
  CHECK(claim_mixture(results).numbers.size() == 2 * 12);
}

TEST_CASE("leave-one-out over all points is called a constant") {
  Results results = write_sample("sample_report/paper");
  CHECK(contains(claim_validity(results).summary, "not a measurement"));
  for (const ClaimNumber& n : claim_validity(results).numbers) CHECK(std::isnan(n.p_holm));
  results.experiment.evaluation.mode = EvaluationMode::halves;
  CHECK_FALSE(contains(claim_validity(results).summary, "not a measurement"));
  CHECK(contains(claim_validity(results).summary, "significantly below"));
}

TEST_CASE("a rule promises the share of its rank") {
  Experiment e;
  const Level level = Level::parse("0.05");
  const auto promise = [&](EvaluationMode mode, QuantileRule rule, double calibration_points) {
    e.evaluation.mode = mode, e.evaluation.quantile = rule;
    Cell cell;
    cell.values.push_back({"calibration_points", "", 0, calibration_points});
    return promised_validity(e, cell, level);
  };
  CHECK(promise(EvaluationMode::halves, QuantileRule::ceiling, 77) == 75.0 / 78.0);
  CHECK(promise(EvaluationMode::leave_one_out, QuantileRule::ceiling, 96) == 92.0 / 96.0);  // ⌈96 · 0.95⌉
  CHECK(promise(EvaluationMode::leave_one_out, QuantileRule::floor_index, 96) == 91.0 / 96.0);
  CHECK(promise(EvaluationMode::halves, QuantileRule::ceiling, 10) == 1.0);  // infinite intervals
}

TEST_CASE("validity is tested against what the rule promises, not against 1 − α") {
  const Results results = [] {
    Results r = write_sample("sample_report/paper", {},
                             [](Experiment& e) { e.evaluation.mode = EvaluationMode::halves; });
    for (auto& [task, cell] : r.cells)
      for (Measurement& m : cell.values) {
        const double wobble = 0.001 * (static_cast<double>(task.run) - 2.0);
        if (m.metric == "calibration_points") m.value = 77.0;
        if (m.metric == "validity" && m.alpha == "0.05")
          m.value = (task.method == "erc" ? 0.95 : 75.0 / 78.0) + wobble;
      }
    return r;
  }();
  const Claim claim = claim_validity(results);
  CHECK(number(claim, "cos", "exp", "0.05").finding == "as promised");  // 0.9615 ± 0.0009, far above 0.95
  CHECK(number(claim, "cos", "exp", "0.05").value.lower > 0.95);
  CHECK(number(claim, "cos", "erc", "0.05").finding == "below");
}

TEST_CASE("a finding is what Holm's correction over the claim leaves") {
  const Results results = write_sample("sample_report/paper");
  std::size_t lost = 0;
  for (const Claim& claim : {claim_efficiency(results), claim_class(results), claim_mixture(results)}) {
    std::vector<double> p;
    for (const ClaimNumber& n : claim.numbers) p.push_back(n.value.p);
    const std::vector<double> corrected = holm(p);
    for (std::size_t i = 0; i < p.size(); ++i) {
      CHECK(claim.numbers[i].p_holm == corrected[i]);
      CHECK((claim.numbers[i].finding == "undecided") == (corrected[i] >= 0.05));
      if (p[i] < 0.05 && corrected[i] >= 0.05) ++lost;
    }
  }
  CHECK(lost > 0);  // else the sample cannot tell
}

TEST_CASE("a changed conclusion changes the prose: larger intervals are named") {
  Results results = write_sample("sample_report/paper");
  for (auto& [task, cell] : results.cells)
    if (task.dataset == "concrete" && task.method == "exp")
      for (Measurement& m : cell.values)
        if (m.metric == "size_mean") m.value *= 2.0;
  const std::string summary = claim_efficiency(results).summary;
  CHECK(contains(summary, "larger in 3"));
  CHECK(contains(summary, "concrete at 0.05 (exp +"));
}

TEST_CASE("the report: first screen, every experiment, links that exist, the same bytes again") {
  fs::remove_all("sample_report");
  write_sample("sample_report/paper");
  write_sample("sample_report/full", {.incomplete = true});
  write_sample("sample_report/single_level");
  const Results many = write_sample("sample_report/verdict/paper");
  write_table(many, table_entries(many));
  fs::remove_all("sample_report/verdict/paper/cells");  // manifest and table are enough
  write_sample("sample_ablation_of_report/paper/paper");
  write_ablation(ablate("sample_ablation_of_report"), "sample_report/ablation");
  write_file("sample_report/full/failures.csv",
             "dataset,run,method,reason\nconcrete,3,erc,\"loss, not finite\"\n");
  const fs::path file = write_report({"sample_report"});
  CHECK(file == fs::path("sample_report/README.md"));
  const std::string text = read_file(file);
  CHECK(text.find("within 2 standard errors") < 1500);
  CHECK(text.find("What to know before using the method") < 3000);
  CHECK(contains(text, "| [paper](paper) |"));
  CHECK(contains(text, "**reproduced**"));
  CHECK(contains(text, "not complete"));
  CHECK(contains(text, "| concrete | 3 | erc | loss, not finite |"));
  CHECK(contains(text, "| [paper, 5 runs](verdict/paper/manifest.yaml) |"));
  CHECK(contains(text, "| [paper](verdict/paper) | Made-up numbers | 5 |"));
  CHECK(fs::exists("sample_report/verdict/paper/verdicts.csv"));
  CHECK(contains(text, "Which setting matters"));
  CHECK(contains(text, "What `full` changes against `paper`"));
  CHECK(contains(text, "133 of 140"));
  for (std::size_t at = 0; (at = text.find("](", at)) != std::string::npos; at += 2) {
    const std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
    CHECK_MESSAGE(fs::exists(fs::path("sample_report") / target), target);
  }
  CHECK(read_text_table("sample_report/paper/claims.csv").rows.size() > 100);
  CHECK(read_text_table("sample_report/claims.csv").rows.size() > 10);
  write_report({"sample_report/"});
  CHECK((read_file(file) == text));
}

TEST_CASE("a folder without results is an error that says so") {
  fs::create_directories("sample_report/empty");
  CHECK_THROWS_AS(write_report({"sample_report/empty"}), UserError);
}

TEST_CASE("the program: table, compare, figures, report") {
  write_sample("sample_report/paper");
  const std::string program = LACP_PROGRAM;
  for (const std::string command : {"table", "compare", "figures", "report"}) {
    INFO(command);
    CHECK(std::system((program + " " + command + " sample_report/paper >out.txt 2>&1").c_str()) == 0);
  }
  CHECK(fs::exists("sample_report/paper/verdicts.csv"));
  CHECK(std::system((program + " table sample_report/nowhere >out.txt 2>&1").c_str()) != 0);
  CHECK(contains(read_file("out.txt"), "manifest.yaml"));
}
