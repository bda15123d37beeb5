// "Which intervals should I use?": its figures and pages.
#include "report/report.hpp"
#include "sample_results.hpp"

using namespace lacp;

TEST_CASE("ranks are drawn for an experiment that has the methods, whatever its name") {
  Results results = frontier_results(16);
  CHECK(write_figures(results).there == Words{"sizes", "adaptivity", "ranks"});
  const auto ranks = texts_of("sample_frontier/figures/ranks.svg");
  CHECK(std::ranges::count(ranks, "CD 3.00", &SvgText::content) > 0);
  results.experiment.methods = {"fixed", "exp", "mondrian"};
  CHECK(write_figures(results).there == Words{"sizes", "adaptivity"});
}

TEST_CASE("which intervals to use, if some make their own prediction, none covers, or there is no choice") {
  Results other = frontier_results();
  change_values(other, "winkler", [](const Task& task, Measurement& m) {
    if (task.method == "cqr" && m.alpha == "0.1") m.value *= 0.5;
  });
  check_has(intervals_answer(reported(other)),
            {"**Best around the shared prediction** f (the `cqr` rows make their own): `adapt` at α = 0.05",
             "`adapt` at α = 0.1 (mean rank 2.0); `adapt` at α = 0.32 (mean rank 1.0).\n"});
  Results without = frontier_results();
  std::erase(without.experiment.methods, "ml");
  check_has(intervals_answer(reported(without)), "no method covers the hardest tenth to within 0.03 of 0.90");
  without.experiment.methods = {"fixed", "exp", "mondrian"};
  CHECK(intervals_answer(reported(without)) + intervals_section(reported(without), "") == "");
}

TEST_CASE("where the method of `lacp fit` stands on data sets that it was tuned on, the page says so") {
  Results results = frontier_results();
  const std::string said = "the constants that are left, were picked by scores on ";
  check_lacks(page_of(results), said);
  results.experiment.methods.push_back("forest");
  check_lacks(page_of(results), said);  // the data sets are others
  results.experiment.datasets.push_back("CASP");
  check_has(page_of(results), said + "CASP, so that");
  const Task task{"CASP", 0, "forest"};
  Cell& cell = results.cells[task];
  for (const double calibration : {10.0, 90.0}) {  // half of the test rows, or all that are known
    cell = {.task = task,
            .settings = "",
            .data = "",
            .values = {{"rows_test", "", 0, 20}, {"calibration_points", "", 0, calibration}}};
    CHECK(has(tuning_note(results), "few rows are known (CASP), it calibrates in folds") ==
          (calibration > 20));
  }
}

TEST_CASE("one data set has no ranks: the lowest score, and what is not provably worse") {
  Results one = frontier_results();
  one.experiment.datasets = {"set_1"};
  std::erase_if(one.cells, [](const auto& item) { return item.first.dataset != "set_1"; });
  const std::string answer = intervals_answer(reported(one));
  CHECK_MESSAGE(answer.starts_with("- **Lowest Winkler score** on set_1: `adapt` at α = 0.05 ("), answer);
  CHECK_FALSE(has(answer, "Best by Winkler score"));
  const std::string page = page_of(one);
  CHECK(has(page.substr(0, 200), "\n\n**Take `adapt` on set_1.** "));
  check_lacks(page, {"median", "Wins and losses", "–1–", "on set_1)", "its lowest"});
  change_values(one, "winkler", [](const Task& task, Measurement& m) {
    if (task.method == "exp" && m.alpha == "0.1") m.value *= 0.01;
  });
  CHECK(has(intervals_answer(reported(one)), "`exp` at α = 0.1 ("));
  one.experiment.methods = {"fixed", "exp", "forest"};  // a few methods of one's choice
  CHECK(has(page_of(one), "**Take `exp` on set_1.**"));
}

TEST_CASE("where the runs of one data set cannot tell, the page says so, and how many would") {
  // Ratios of 0.98 with a spread of 0.04: t = 1.1 with five runs, and 3 with about eight times as many.
  const double noise[] = {-0.06, -0.02, 0.0, 0.02, 0.06};
  const auto advice_of_runs = [&](std::size_t runs, bool synthetic = true) {
    Results one = frontier_results(1, runs);
    if (synthetic) one.synthetic = {"set_1"};
    one.experiment.methods = {"fixed", "forest", "exp"};
    for (const Task& task : grid(one.experiment)) {
      one.cells[task] = one.cells.at({"set_1", task.run % 5, "fixed"});
      one.cells[task].task = task;
    }
    change_values(one, "winkler", [&](const Task& task, Measurement& m) {
      m.value *= task.method == "exp"     ? 0.98 * (1.0 + noise[task.run % 5])
                 : task.method == "fixed" ? 1.5
                                          : 1.0;
    });
    return advice_of(reported(one));
  };
  const std::string advice = advice_of_runs(5);
  check_has(advice, {"**5 runs cannot tell which intervals are best on set_1; keep `forest`.**",
                     "at α = 0.1 is that of `exp`, "});
  const double runs = std::stod(advice.substr(advice.find("like these, ") + 12));
  CHECK(runs > 20);
  CHECK(runs < 60);
  CHECK(has(advice_of_runs(60), "**Take `exp` on set_1.**"));
  // More splits of the same rows tell little more of other rows.
  check_has(advice_of_runs(60, false), {"**60 runs cannot tell", "Not even 1000 runs like these would tell"});
}

TEST_CASE("the section has ranks, wins and losses, costs, and where each method fails") {
  Results results = frontier_results();
  value_of(results, {"set_2", 1, "mondrian"}, "winkler", "0.32") = infinity;
  value_of(results, {"set_2", 1, "mondrian"}, "infinite", "0.32") = 0.01;
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
  check_has(page,
            {"| cqr | 3.17° |",  // last of nine on set_1, where a task failed, else second
             "| exp | 6–0–0 | 6–0–0 | 6–0–0 |  |  |  | 1–0–5 | 1–0–5 | 1–0–5 |",
             "| ml | 0.80 | 0.88 | 0.85 | set_6 | 0.0125 |", "| cqr | 1 | – | – | – | – |",
             "| mondrian | – | set_2 | – | – | – |", "| exp | – | – | set_4 at 0.1 | – | 6: set_1 … |"});
  CHECK_FALSE(has(page, "nan"));
}

TEST_CASE("the page on top tells of the first experiment that compares intervals") {
  Results base = frontier_results(), own = frontier_results(1);
  own.experiment.name = "a_file";
  const std::string top = intervals_top({reported(base)});
  check_has(top, {"## Which intervals should I use?\n\n**Take `adapt`.** ",
                  "[sample_frontier](sample_frontier/README.md)):\n\n- **Best by Winkler score**"});
  CHECK(intervals_top({reported(base), reported(own)}) == top);
  base.experiment.methods = {"fixed", "exp"};
  CHECK(intervals_top({reported(base)}).empty());
}
