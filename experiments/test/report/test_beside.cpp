// Numbers of others beside ours.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "lacp/base/files.hpp"
#include "lacp_program.hpp"
#include "sample_results.hpp"

using namespace lacp;

TEST_CASE("experiments are compared in one unit, whatever rows scale the target of each") {
  Results base = frontier_results(), joined = frontier_results();
  joined.folder = "sample_joined";
  joined.experiment.name = "joined", joined.experiment.predictor.cross_fit = 5;
  write_file("sample_frontier/peers.csv",
             "dataset,run,method,alpha,size,winkler,validity,seconds\nset_1,0,split,0.1,0.5,2,0.9,1\n");
  const auto top = [&] { return intervals_top({reported(base), reported(joined)}); };
  CHECK(has(top(), "left out: sample_joined has sizes in a unit of its own"));
  CHECK_FALSE(has(top(), "| adapt |"));
  std::vector<ReportedExperiment> all = {reported(base), reported(joined)};
  share_peers(all);
  CHECK_FALSE(has(report_page(all[1], ""), "scikit-learn"));
  for (const auto& [task, cell] : joined.cells) joined.units[{task.dataset, task.run}] = {3.0, 2.0};
  CHECK(has(top(), "| adapt | 1.50 (0–0–6) |"));
  all = {reported(base), reported(joined)};
  share_peers(all);
  const double score = value_of(joined, {"set_1", 0, "fixed"}, "winkler", "0.1"),
               size = value_of(joined, {"set_1", 0, "fixed"}, "size_mean", "0.1");
  CHECK(has(report_page(all[1], ""),
            fmt::format("| set_1 | 0.500 / 2.000 | {} / {} |", display(1.5 * size), display(1.5 * score))));
  CHECK(has(report_page(all[1], ""), "in the unit of that file"));
  CHECK_FALSE(has(report_page(all[0], ""), "in the unit of that file"));
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
  check_has(page,
            {"Another protocol, so no verdict. Someone (2025).", "| data set | Split / our fixed | Other |",
             "| set_2 | 1.500 / " + display(summarise(results, {"set_2", "fixed", "size", "0.1"}).mean),
             " | 2.500 |"});
  CHECK_FALSE(has(page, "Third"));
  results.experiment.reference.beside = "nowhere.csv";
  CHECK_REFUSED(report_page(reported(results), ""), "reference.beside 'nowhere.csv'");
}

TEST_CASE("published Winkler scores stand beside ours, and the page counts where all are beaten") {
  Results results = frontier_results();
  results.experiment.sample = {{"set_2", 0.25}, {"elsewhere", 0.5}};
  results.experiment.evaluation.mode = EvaluationMode::halves;
  results.experiment.evaluation.calibration_share = 0.75;
  results.experiment.reference.beside = "scores.csv";
  write_file("scores.csv",
             "# Someone (2024).\ndataset,method,alpha,winkler\nset_1,A,0.1,2\nset_1,B,0.1,1.8\n"
             "set_2,A,0.1,2.9\nset_2,B,0.1,3.1\nelsewhere,C,0.1,5\n");
  const auto ours = [&](const char* dataset, const char* method) {
    return display(summarise(results, {dataset, method, "winkler", "0.1"}).mean, 4);
  };
  const std::string page = report_page(reported(results), "");
  CHECK(has(page, "## Beside published Winkler scores\n\nSomeone (2024)."));
  CHECK(has(page, "| data set | A | B | our fixed | our exp |"));
  CHECK(has(page, fmt::format("| set_1 | 2.0000 | 1.8000 | {} | {} |", ours("set_1", "fixed"),
                              ours("set_1", "exp"))));
  CHECK(has(page, fmt::format("α = 0.1; `adapt` is below every published column on 1 of 2 data sets; not on "
                              "set_2 ({} against 2.9000):",
                              ours("set_2", "adapt"))));
  CHECK_FALSE(has(page, "elsewhere"));
  CHECK(has(page, "takes part, drawn in each run: 0.25 of set_2.\n"));
  CHECK(has(page, "75 % of the test points calibrate, the others are scored"));
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
  check_has(page,
            {"## Beside scikit-learn", "| data set | split | our fixed | our exp | our adapt | our cqr |",
             "| set_1 | 0.600 / 3.000 | " + two_runs("size_mean") + " / " + two_runs("winkler") + " |",
             "means over the runs in [peers.csv](peers.csv)",
             "α = 0.1; `adapt` has a smaller Winkler score than split on 1 of 1 data set:"});
  CHECK(has(page,
            "α = 0.05; `adapt` has a smaller Winkler score than split on 0 of 1 data set:"));  // no number
  // Another centre or other sides, the same test rows: the page shows the same file.
  Results other = results, far = results;
  other.experiment.evaluation.sides = Sides::each;
  other.experiment.name = "sample_other", other.experiment.predictor.knn.points = 500;
  other.folder = "sample_other", far.folder = "sample_far", far.experiment.seed = 7;
  std::vector<ReportedExperiment> all = {reported(other), reported(far), reported(results)};
  share_peers(all);
  CHECK(has(report_page(all[0], ""), "the runs in [peers.csv](../sample_frontier/peers.csv)"));
  CHECK_FALSE(has(report_page(all[1], ""), "scikit-learn"));
  CHECK(has(report_page(all[2], ""), "the runs in [peers.csv](peers.csv)"));
  std::filesystem::remove("sample_frontier/peers.csv");
  CHECK_FALSE(has(report_page(reported(results), ""), "scikit-learn"));
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

TEST_CASE("uacqr.yaml has the data sets, shares of rows and levels of the published scores beside it") {
  const fs::path source(LACP_SOURCE_DIR);
  const Experiment e = load_experiment(source / "experiments/uacqr.yaml");
  const Frame table = read_frame(source / "experiments" / e.reference.beside);
  CHECK(table.rows.size() == 6 * 8);
  CHECK(e.datasets.size() == 6);
  for (const Row& row : table) {
    CHECK(std::ranges::count(e.datasets, row["dataset"]) == 1);
    const auto share = e.sample.find(row["dataset"]);
    CHECK(row.number("rows_share") == (share == e.sample.end() ? 1.0 : share->second));
    CHECK(row["alpha"] == e.levels.front().text());
    CHECK(row.number("winkler") > 0.0);
  }
  CHECK(e.split.test * e.evaluation.calibration_share == doctest::Approx(0.4));  // 20 % are scored
}
