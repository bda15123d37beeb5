#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "output/report.hpp"
#include "output/table.hpp"
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
  CHECK(smaller.lower < 0.9);
  CHECK(smaller.upper > 0.9);
  CHECK(contains(efficiency.summary, "of 60 comparisons"));

  const Claim error_fit = claim_error_fit(results);
  CHECK(number(error_fit, "cos", "erc_error_fit", "0.1").finding == "larger");  // made 1.6 times as large
  CHECK(contains(error_fit.summary, "larger than `fixed` in 12 of 12"));

  const Claim same = claim_class(results);
  for (const ClaimNumber& n : same.numbers)
    CHECK(std::abs(n.value - 1.0) < 0.06);  // 2 % on each side, 5 runs
  CHECK(contains(same.summary, "of 24 comparisons with exp are significant"));

  const Claim adaptivity = claim_adaptivity(results);
  CHECK(contains(adaptivity.summary, "`fixed` covers 0.9"));
  CHECK(number(adaptivity, "cos", "fixed", "0.1").value > number(adaptivity, "cos", "exp", "0.1").value);
  CHECK(contains(claim_validity(results).detail, "fixed"));
  CHECK(claim_mixture(results).numbers.size() == 2 * 12);
}

TEST_CASE("leave-one-out over all points is called a constant") {
  Results results = write_sample("sample_report/paper");
  CHECK(contains(claim_validity(results).summary, "not a measurement"));
  results.experiment.evaluation.mode = EvaluationMode::halves;
  CHECK(contains(claim_validity(results).summary, "by chance") == false);
  CHECK(contains(claim_validity(results).summary, "significantly below"));
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
  write_table(many);
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
