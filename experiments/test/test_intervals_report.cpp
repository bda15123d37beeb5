#include <doctest/doctest.h>

#include <limits>

#include "frontier_results.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "report/report.hpp"

using namespace lacp;
namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ReportedExperiment reported(Results results) {
  ReportedExperiment e;
  e.link = results.experiment.name;
  e.done = e.wanted = results.cells.size();
  e.results = std::move(results);
  return e;
}

const double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("which intervals to use: best by Winkler score, smallest, and equal coverage") {
  const std::string answer = intervals_answer(reported(frontier_results()));
  CHECK(contains(answer,
                 "**Best by Winkler score** over 6 data sets: `adapt` at α = 0.05 (mean rank 1.0; not "
                 "provably better than 5 others"));
  CHECK_FALSE(contains(answer, "shared prediction"));
  Results other = frontier_results();
  for (auto& [task, cell] : other.cells)
    for (Measurement& m : cell.values)
      if (task.method == "cqr" && m.metric == "winkler" && m.alpha == "0.1") m.value *= 0.5;
  CHECK(contains(
      intervals_answer(reported(other)),
      "**Best around the shared prediction** f (the `cqr` rows make their own): `adapt` at α = 0.05 "
      "(mean rank 1.0); `adapt` at α = 0.1 (mean rank 2.0); `adapt` at α = 0.32 (mean rank 1.0).\n"));
  CHECK(contains(answer,
                 "**Smallest** at α = 0.1: `adapt_100`, median size 0.80 × `fixed`; it covers 0.88 of "
                 "the hardest tenth (median; 0.85 on set_6)"));
  CHECK(contains(answer,
                 "of the 1 method whose median coverage of the hardest tenth is at least 0.87, "
                 "`adapt_100` is the smallest: 0.80 × `fixed`"));
  Results without = frontier_results();
  std::erase(without.experiment.methods, "adapt_100");
  CHECK(contains(
      intervals_answer(reported(without)),
      "no method covers the hardest tenth to within 0.03 of 0.90 (median over data sets); `adapt` comes "
      "nearest with 0.84"));
  without.experiment.methods = {"fixed", "exp", "rlcp"};
  CHECK(intervals_answer(reported(without)).empty());
  CHECK(intervals_section(reported(without), "").empty());
}

TEST_CASE("the section has ranks, wins and losses, costs, and where each method fails") {
  Results results = frontier_results();
  value_of(results, {"set_2", 1, "rlcp"}, "winkler", "0.32") = infinity;
  value_of(results, {"set_2", 1, "rlcp"}, "infinite", "0.32") = 0.01;
  results.failed[{"set_1", 2, "cqr"}] = {};
  results.cells.erase({"set_1", 2, "cqr"});
  for (auto& [task, cell] : results.cells)
    for (const char* alpha : {"0.05", "0.1", "0.32"}) cell.values.push_back({"ert", alpha, 0, 0.0125});
  ReportedExperiment e = reported(results);
  Claim validity{.id = "validity"};
  validity.add(results, "set_4", "exp", "0.1", "validity", {}, "below");
  validity.add(results, "set_5", "exp", "0.1", "validity", {}, "as promised");
  e.claims = {validity};
  const std::string page = report_page(e, "");
  CHECK(contains(page, "## Which intervals should I use?\n\n- **Best by Winkler score**"));
  CHECK(contains(page, "Two methods differ at 5 % if their mean ranks are 4.90 apart"));
  CHECK(contains(page, "| adapt | **1.00** | **1.00** | **1.00** |"));
  CHECK(contains(page, "| cqr | 3.17° |"));  // last of nine on set_1, where a task failed, else second
  CHECK(contains(page, "### Wins and losses against `fixed`, `exp` and `cqr`"));
  CHECK(contains(page, "| adapt | 6–0–0 | 6–0–0 | 6–0–0 | 6–0–0 | 6–0–0 | 6–0–0 | 6–0–0 | 6–0–0 | 6–0–0 |"));
  CHECK(contains(page, "| exp | 6–0–0 | 6–0–0 | 6–0–0 |  |  |  | 1–0–5 | 1–0–5 | 1–0–5 |"));
  CHECK(contains(page, "| adapt_100 | 0.80 | 0.88 | 0.85 | set_6 | 0.0125 |"));
  CHECK(contains(page,
                 "| method | failed tasks | infinite intervals on | validity below its promise on | above | "
                 "hardest tenth below 0.80 |"));
  CHECK(contains(page, "| cqr | 1 | – | – | – | – |"));
  CHECK(contains(page, "| rlcp | – | set_2 | – | – | – |"));
  CHECK(contains(page, "| exp | – | – | set_4 at 0.1 | – | 6: set_1 … |"));
  CHECK_FALSE(contains(page, "nan"));
}

TEST_CASE("experiments that differ in the predictor alone are compared on the page on top") {
  Results base = frontier_results(), other = frontier_results(), far = frontier_results();
  other.experiment.name = "sample_other", far.experiment.name = "sample_far";
  other.experiment.predictor.knn.points = 500;
  far.experiment.seed = 7;  // other splits: runs are no pairs
  for (auto& [task, cell] : other.cells)
    for (Measurement& m : cell.values)
      if (m.metric == "winkler") m.value *= 0.5 + 0.001 * static_cast<double>(task.run);
  const std::string top = intervals_top({reported(base), reported(far), reported(other)});
  CHECK(contains(top, "## Which intervals should I use?"));
  CHECK(contains(top, "([sample_other](sample_other/README.md)):"));
  CHECK(contains(top, "`sample_other` (predictor.points: 0 → 500)"));
  CHECK(contains(top, "| method | sample_other |"));
  CHECK(contains(top, "| adapt | 0.50 (6–0–0) |"));
  CHECK_FALSE(contains(top, "sample_far"));
  CHECK_FALSE(contains(intervals_top({reported(base)}), "another centre"));
  base.experiment.methods = {"fixed", "exp"};
  CHECK(intervals_top({reported(base)}).empty());
}

TEST_CASE("an experiment is compared with the base that it names, on the data sets that all of them have") {
  Results base = frontier_results(), trees = frontier_results(), two = frontier_results(),
          few = frontier_results();
  trees.experiment.name = "trees", trees.experiment.predictor.knn.points = 500;
  trees.experiment.report.base = "sample_frontier";
  few.experiment.name = "few", few.experiment.predictor.knn.points = 100;
  few.experiment.report.base = "sample_frontier";
  two.experiment.name = "two", two.experiment.predictor.knn.points = 500;
  two.experiment.evaluation.sides = Sides::each, two.experiment.report.base = "trees";
  for (Results* some : {&few, &two}) some->experiment.datasets = {"set_1", "set_2"};
  const auto scale = [](Results& results, double factor, bool small_sets) {
    for (auto& [task, cell] : results.cells)
      for (Measurement& m : cell.values)
        if (m.metric == "winkler" && (task.dataset < "set_3") == small_sets)
          m.value *= factor + 0.001 * static_cast<double>(task.run);
  };
  scale(trees, 0.5, true), scale(trees, 0.25, false), scale(two, 0.4, true);
  const std::string top = intervals_top({reported(base), reported(trees), reported(few), reported(two)});
  CHECK(contains(top, "relative to `sample_frontier`"));
  CHECK(contains(top, "the 2 data sets that all have (set_1, set_2)"));
  CHECK(contains(top, "| method | trees | few |"));
  CHECK(contains(top, "| adapt | 0.50 (2–0–0) | 1.00 (0–2–0) |"));  // not 0.25, of four more data sets
  CHECK(contains(top, "relative to `trees`"));
  CHECK(contains(top, "`two` (evaluation.sides: both → each)"));
  CHECK(contains(top, "| adapt | 0.80 (2–0–0) |"));  // 0.4 / 0.5
}

TEST_CASE("experiments are compared in one unit, whatever rows scale the target of each") {
  Results base = frontier_results(), joined = frontier_results();
  joined.folder = "sample_joined";
  joined.experiment.name = "joined", joined.experiment.predictor.cross_fit = 5;
  write_file("sample_frontier/peers.csv",
             "dataset,run,method,alpha,size,winkler,validity,seconds\nset_1,0,split,0.1,0.5,2,0.9,1\n");
  const auto top = [&] { return intervals_top({reported(base), reported(joined)}); };
  CHECK(contains(top(), "left out: sample_joined has sizes in a unit of its own"));
  CHECK_FALSE(contains(top(), "| adapt |"));
  std::vector<ReportedExperiment> all = {reported(base), reported(joined)};
  share_peers(all);
  CHECK_FALSE(contains(report_page(all[1], ""), "scikit-learn"));
  for (const auto& [task, cell] : joined.cells) joined.units[{task.dataset, task.run}] = {3.0, 2.0};
  CHECK(contains(top(), "| adapt | 1.50 (0–0–6) |"));
  all = {reported(base), reported(joined)};
  share_peers(all);
  const double score = value_of(joined, {"set_1", 0, "fixed"}, "winkler", "0.1"),
               size = value_of(joined, {"set_1", 0, "fixed"}, "size_mean", "0.1");
  CHECK(contains(report_page(all[1], ""), fmt::format("| set_1 | 0.500 / 2.000 | {} / {} |",
                                                      display(1.5 * size), display(1.5 * score))));
  CHECK(contains(report_page(all[1], ""), "in the unit of that file"));
  CHECK_FALSE(contains(report_page(all[0], ""), "in the unit of that file"));
  fs::remove("sample_frontier/peers.csv");
}

TEST_CASE("published sizes stand beside ours as half-widths, without a verdict") {
  Results results = frontier_results();
  results.experiment.reference.beside = "beside.csv";
  write_file(
      "beside.csv",
      "# Someone (2025).\ndataset,published_dataset,method,ours,alpha,coverage,width_mean,width_std\n"
      "set_2,two,Split,fixed,0.1,0.9,3,0.1\nset_2,two,Other,,0.1,0.9,5,0.1\nelsewhere,e,Third,,0.1,0.9,5,0.1\n");
  const std::string page = report_page(reported(results), "");
  CHECK(contains(page, "Another protocol, so no verdict. Someone (2025)."));
  CHECK(contains(page, "| data set | Split / our fixed | Other |"));
  CHECK(contains(page,
                 "| set_2 | 1.500 / " + display(summarise(results, {"set_2", "fixed", "size", "0.1"}).mean)));
  CHECK(contains(page, " | 2.500 |"));
  CHECK_FALSE(contains(page, "Third"));
  results.experiment.reference.beside = "nowhere.csv";
  CHECK_THROWS_WITH_AS(report_page(reported(results), ""),
                       doctest::Contains("reference.beside 'nowhere.csv'"), UserError);
}

TEST_CASE("numbers of a peer on the same splits stand beside ours") {
  Results results = frontier_results();
  value_of(results, {"set_1", 3, "fixed"}, "size_mean", "0.1") = 77.0;  // a run that the peers do not have
  value_of(results, {"set_1", 3, "fixed"}, "winkler", "0.1") = 88.0;
  const auto two_runs = [&](const char* metric) {
    return display(0.5 * (value_of(results, {"set_1", 0, "fixed"}, metric, "0.1") +
                          value_of(results, {"set_1", 1, "fixed"}, metric, "0.1")));
  };
  write_file("sample_frontier/peers.csv",
             "dataset,run,method,alpha,size,winkler,validity,seconds\nset_1,0,split,0.1,0.5,2,0.9,1\n"
             "set_1,1,split,0.1,0.7,4,0.9,1\n");
  const std::string page = report_page(reported(results), "");
  CHECK(contains(page, "## Beside scikit-learn"));
  CHECK(contains(page, "| data set | split | our fixed | our exp | our adapt | our cqr |"));
  CHECK(contains(page,
                 "| set_1 | 0.600 / 3.000 | " + two_runs("size_mean") + " / " + two_runs("winkler") + " |"));
  CHECK(contains(page, "means over the runs in [peers.csv](peers.csv)"));
  CHECK(contains(page, "α = 0.1; `adapt` has a smaller Winkler score than split on 1 of 1 data set:"));
  CHECK(contains(
      page, "α = 0.05; `adapt` has a smaller Winkler score than split on 0 of 1 data set:"));  // no number
  // Another centre or other sides, the same test rows: the page shows the same file.
  Results other = results, far = results;
  other.experiment.evaluation.sides = Sides::each;
  other.experiment.name = "sample_other", other.experiment.predictor.knn.points = 500;
  other.folder = "sample_other", far.folder = "sample_far", far.experiment.seed = 7;
  std::vector<ReportedExperiment> all = {reported(other), reported(far), reported(results)};
  share_peers(all);
  CHECK(contains(report_page(all[0], ""), "the runs in [peers.csv](../sample_frontier/peers.csv)"));
  CHECK_FALSE(contains(report_page(all[1], ""), "scikit-learn"));
  CHECK(contains(report_page(all[2], ""), "the runs in [peers.csv](peers.csv)"));
  std::filesystem::remove("sample_frontier/peers.csv");
  CHECK_FALSE(contains(report_page(reported(results), ""), "scikit-learn"));
}

TEST_CASE("the published table of the review has its ten methods for eight of our data sets") {
  const fs::path source(LACP_SOURCE_DIR), file = source / "experiments/reference/review2025.csv";
  const Frame table = read_frame(file);
  CHECK(table.rows.size() == 12 * 10);
  std::size_t ours = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    CHECK(table.number(i, "width_mean") > 0.0);
    ours += fs::exists(source / "datasets" / (table.rows[i][0] + ".yaml"));
  }
  CHECK(ours == 8 * 10);
}
