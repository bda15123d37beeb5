// Numbers of others: compared with ours, and what that answers; or beside ours, without a test.
#include <cmath>

#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "near.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

const Row& number(const Comparison& c, std::string_view dataset, std::string_view method,
                  std::string_view alpha, std::string_view quantity) {
  return row_of(c.numbers,
                {{"dataset", dataset}, {"method", method}, {"alpha", alpha}, {"quantity", quantity}});
}

}  // namespace

TEST_CASE("every published number of the grid is compared, under the published name of the data set") {
  const Results results = write_sample("sample_comparison");
  const Comparison c = compare(results, table_entries(results)).value();
  CHECK(c.numbers.size() == 2 * 6 * 3 * 2);  // not the synthetic sets, not mixture
  const Row& n = number(c, "energy_y1", "exp", "0.1", "size");
  CHECK(n["reference_dataset"] == "energy");
  CHECK(n.number("difference") == near(n.number("ours_mean") - n.number("paper_mean"), 1e-12));
  const double error = std::hypot(n.number("ours_std"), n.number("paper_std")) / 2.0;  // sqrt(5 − 1) = 2
  CHECK(n.number("z") == near_share(n.number("difference") / error, 1e-9));
}

TEST_CASE("numbers drawn around the published means agree; a shifted data set does not") {
  const Results results = write_sample("sample_comparison");
  Frame reference = sample_reference();
  const Comparison same = compare_with(reference, results.experiment, table_entries(results));
  CHECK(same.overall().count("numbers") == 72);
  CHECK(same.overall().number("share") > 0.8);
  CHECK(same.overall().count("significant_after_holm") == 0);
  CHECK(same.overall().number("share_expected_by_chance") > 0.85);
  CHECK(same.overall().number("share_expected_by_chance") <
        0.9545);  // Student's tails are heavier than the normal law's

  for (std::size_t i = 0; i < reference.rows.size(); ++i)
    if (reference.rows[i][0] == "concrete")
      reference.rows[i].set("size_mean", 2.0 * reference.number(i, "size_mean"));
  const Comparison shifted = compare_with(reference, results.experiment, table_entries(results));
  CHECK(shifted.verdicts.rows[0]["group"] == "energy_y1");
  CHECK(shifted.verdicts.count(0, "significant_after_holm") == 0);
  CHECK(shifted.verdicts.count(1, "significant_after_holm") == 18);
  CHECK(shifted.verdicts.count(1, "within_2_standard_errors") <= 18);
  CHECK(shifted.verdicts.rows[1]["verdict"] == "18 of 36 differ significantly");
  CHECK(number(shifted, "concrete", "fixed", "0.05", "size").number("holm_p_overall") < 0.05);
  CHECK(number(shifted, "concrete", "fixed", "0.05", "validity").number("holm_p_overall") > 0.05);
}

TEST_CASE("what is missing or infinite is counted, and does not agree") {
  const Results results = write_sample("sample_comparison", {.incomplete = true, .infinite = true});
  const Comparison c = compare(results, table_entries(results)).value();
  CHECK(c.overall().count("numbers") == 72);
  CHECK(c.overall().count("comparable") ==
        72 - 6 - 1);  // erc_error_fit on concrete has no run; one size is infinite
  CHECK(number(c, "energy_y1", "linear", "0.05", "size")["within_2_standard_errors"] == "");
  CHECK(number(c, "energy_y1", "linear", "0.05", "validity")["within_2_standard_errors"] != "");
  CHECK(has(c.overall()["verdict"], "7 could not be compared"));
}

TEST_CASE("no reference, or one that is not there") {
  Results results = write_sample("sample_comparison");
  results.experiment.reference.file = "nowhere.csv";
  CHECK_THROWS_AS(compare(results, table_entries(results)), UserError);
  results.experiment.reference.file = "";
  CHECK_FALSE(compare(results, table_entries(results)).has_value());
}

TEST_CASE("a level that the published table does not have leaves its columns empty, not those of the next") {
  const Results results = write_sample("sample_comparison", {}, [](Experiment& e) {
    e.levels.insert(e.levels.begin() + 1, Level::parse("0.07"));
  });
  const Comparison c = compare(results, table_entries(results)).value();
  const double last = number(c, "concrete", "fixed", "0.32", "size").number("paper_mean");
  const std::string tex = comparison_tex(results, c);
  const std::size_t row = tex.find("\\texttt{fixed}", tex.find("concrete"));
  const std::vector<std::string> cells = split_text(tex.substr(row, tex.find("\\\\", row) - row), '&');
  REQUIRE(cells.size() == 1 + 4 * 3);
  CHECK(trim(cells[5]) == "");
  CHECK(trim(cells[11]) == fmt::format("${:.3f}$", last));
}

TEST_CASE("one answer from few runs and from many") {
  // `errors`: all sizes are off by this many combined standard errors.
  const auto made_up = [](std::size_t runs, double factor, bool all = false, double errors = 0.0) {
    ReportedExperiment e;
    e.results.experiment = sample_experiment();
    e.results.experiment.runs = runs, e.results.source = "sample.yaml";
    e.link = fmt::format("of_{}", runs);
    e.done = e.wanted = 28 * runs;
    const Frame published = sample_reference();
    e.entries = Frame(
        {"dataset", "method", "alpha", "runs", "size_mean", "size_std", "validity_mean", "validity_std"});
    for (const Row& row : published)
      e.entries.add(
          {row["dataset"] == "energy" ? "energy_y1" : row["dataset"], row["method"], row["alpha"], runs,
           row.number("size_mean") * (all || row["method"] == "sigma" ? factor : 1.0) +
               errors * row.number("size_std") * std::sqrt(0.25 + 1.0 / static_cast<double>(runs - 1)),
           row.number("size_std"), row.number("validity_mean"), 0.02});
    e.comparison = compare_with(published, e.results.experiment, e.entries);
    return e;
  };
  const ReportedExperiment same5 = made_up(5, 1.0), same50 = made_up(50, 1.0), far5 = made_up(5, 4.0),
                           far50 = made_up(50, 4.0), other50 = made_up(50, 4.0, true);
  CHECK(has(protocol_answer(&same5, &same50),
            "(`sample`) reproduces Table 1.** With [5 runs](of_5/README.md) 72 of its 72 numbers"));
  CHECK(has(protocol_answer(&same5, &same50), "none differs beyond chance."));
  // Few runs see nothing that many do see: one sentence says both.
  const std::string both = protocol_answer(&same5, &far50);
  check_has(both, {"reproduces Table 1 as far as 5 runs can tell, but 50 runs tell the two apart.**",
                   "6 differ beyond chance: the size of sigma on energy_y1 at α = 0.05, ", "; and 3 more."});
  CHECK(has(protocol_answer(&far5, &far50), "reproduces Table 1 in part.**"));
  CHECK(has(protocol_answer(&far5, &same50), "reproduces Table 1.**"));  // the many decide
  CHECK(has(protocol_answer(&far5, &other50), "does not reproduce Table 1.**"));
  CHECK(has(protocol_answer(nullptr, &same50), "reproduces Table 1.** With [50 runs]"));
  // Many that are off a little, and none beyond chance: the test that is stated does not tell them apart.
  const ReportedExperiment off50 = made_up(50, 1.0, false, 2.5);
  REQUIRE(off50.comparison->overall().number("share") == 0.5);
  REQUIRE(off50.comparison->overall()["significant_after_holm"] == "0");
  for (const ReportedExperiment* few : {&same5, &far5}) {
    const std::string answer = protocol_answer(few, &off50);
    check_has(answer,
              {"does not differ from Table 1 beyond chance, though fewer numbers agree than expected.**",
               "none differs beyond chance."});
    CHECK_FALSE(has(answer, "tell the two apart"));
  }
  ReportedExperiment partly = same5;
  partly.done -= 3;
  CHECK(has(protocol_answer(&partly, nullptr), " 3 of 140 tasks failed or are missing, and are left out."));
  const ReportedExperiment two = made_up(2, 1.0);
  CHECK(has(
      protocol_answer(&two, nullptr),
      "cannot be compared with Table 1 yet.** With [2 runs](of_2/README.md): the runs are too few to tell."));
}

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

TEST_CASE("published CRPS stand beside ours in the unit of y, alone or below sizes") {
  Results results = frontier_results();
  std::vector<double> raw;
  for (auto& [task, cell] : results.cells)
    if (task.dataset == "set_1" && task.method == "adapt") {
      const auto run = static_cast<double>(task.run);
      cell.values.push_back({"crps", "", 0, 0.1 + 0.01 * run});
      results.units[{"set_1", task.run}] = {.used = 1000.0 + run, .proper = 7.0};
      raw.push_back((0.1 + 0.01 * run) * (1000.0 + run));
    }
  results.experiment.reference.beside = "crps.csv";
  write_file("crps.csv", "# Someone (2022).\ndataset,method,crps\nset_1,A,120.5\nset_1,B,90\nset_2,A,3\n");
  const std::string page = report_page(reported(results), "");
  const std::string ours = fmt::format("{:.5g} ± {:.2g}", moments(raw).mean, moments(raw).standard_error());
  check_has(page, {"## Beside published CRPS\n\nSomeone (2022). Lower is better.",
                   "| set_1 | 120.5 | 90 | – |", "| – | " + ours + " | – |",
                   "CRPS; `adapt` is below every published column on 0 of 2 data sets; not on set_1 (" +
                       ours + " against 90), set_2 (– against 3):"});
  results.experiment.reference.beside = "crps_and_sizes.csv";
  write_file(
      "crps_and_sizes.csv",
      "# Someone (2022).\ndataset,published_dataset,method,ours,alpha,coverage,width_mean,width_std,crps\n"
      "set_1,one,A,fixed,0.1,0.9,3,0.1,120.5\n");
  const std::string both = report_page(reported(results), "");
  check_has(both, {"## Beside published sizes\n\nAnother protocol",
                   "## Beside published CRPS\n\nLower is better."});
  CHECK(both.find("Someone (2022).") == both.rfind("Someone (2022)."));
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
  write_file("sample_frontier/peers.csv",
             "dataset,run,method,alpha,size,winkler,validity,seconds\n"
             "set_1,0,<img src=x onerror=alert(9)>,0.1,0.5,2,0.9,1\n");
  CHECK(has(report_page(reported(results), ""), "| data set | \\<img src=x onerror=alert(9)\\> |"));
  CHECK_FALSE(has(report_page(reported(results), ""), " <img"));
  results.experiment.methods.push_back("forest");
  CHECK_FALSE(has(peers_answer(reported(results)), "(<img"));
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

TEST_CASE(
    "ibug.yaml has the data sets of the published CRPS beside it, and nine tenths of the rows to learn from") {
  const fs::path source(LACP_SOURCE_DIR);
  const Experiment e = load_experiment(source / "experiments/ibug.yaml");
  const Frame table = read_frame(source / "experiments" / e.reference.beside);
  CHECK(table.rows.size() == e.datasets.size() * 4);
  for (const Row& row : table) {
    CHECK(std::ranges::count(e.datasets, row["dataset"]) == 1);
    CHECK(row.number("crps") > 0.0);
  }
  CHECK(e.evaluation.crps);
  CHECK(e.runs == 10);
  CHECK(e.split.test * (1.0 - e.evaluation.calibration_share) == doctest::Approx(0.1));
}
