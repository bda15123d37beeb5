// The numbers behind "Which intervals should I use?", and those that the figures show.
#include <cmath>
#include <limits>

#include "lacp_program.hpp"
#include "near.hpp"
#include "report/analysis/choice.hpp"
#include "report/analysis/claims.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

const Level tenth = Level::parse("0.1");

/// "6–0–0" for wins, ties and losses of a method.
std::string record(const Frame& records, std::string_view method) {
  const Row r = row_of(records, {{"method", method}});
  return fmt::format("{}–{}–{}", r["wins"], r["ties"], r["losses"]);
}

double ratio(const Frame& records, std::string_view method) {
  return row_of(records, {{"method", method}}).number("ratio");
}

double rank(const Results& results, std::string_view method) {
  return row_of(mean_ranks(results), {{"method", method}, {"alpha", "0.1"}}).number("rank");
}

}  // namespace

TEST_CASE("an experiment compares intervals if it has fixed and methods of others") {
  Results results = frontier_results();
  CHECK(compares_intervals(results));
  results.experiment.methods = {"fixed", "exp", "mixture"};
  CHECK_FALSE(compares_intervals(results));
  results.experiment.methods = {"exp", "adapt"};  // nothing to be relative to
  CHECK_FALSE(compares_intervals(results));
}

TEST_CASE("the level that is looked at first is the middle one, of two the smaller") {
  Experiment e = sample_experiment();
  CHECK(drawn_level(e).text() == "0.1");
  e.levels = {Level::parse("0.1"), Level::parse("0.32")};
  CHECK(drawn_level(e).text() == "0.1");
  e.name = "two_levels", e.evaluation.mode = EvaluationMode::halves;
  const Results two = write_sample("sample_two_levels", {}, [&](Experiment& changed) { changed = e; });
  for (const Row& n : judge_adaptivity(two).numbers) CHECK(n["alpha"] == "0.1");
  CHECK(has(read_file(LACP_SOURCE_DIR "/experiments/page/views.js"),  // and so in the browser
            "e.levels[Math.floor((e.levels.length - 1) / 2)]"));
}

TEST_CASE("costs: size relative to fixed of the same run, coverage of the hardest tenth") {
  Results results = frontier_results(1);
  const auto cost = [&](const char* method, const char* column) {
    return row_of(costs(results, tenth), {{"method", method}}).number(column);
  };
  double product = 1.0;
  for (std::size_t run = 0; run < 4; ++run)
    product *= value_of(results, {"set_1", run, "exp"}, "size_mean", "0.1") /
               value_of(results, {"set_1", run, "fixed"}, "size_mean", "0.1");
  CHECK(cost("exp", "size") == near(std::pow(product, 0.25), 1e-9));
  CHECK(cost("exp", "hardest") == near(0.5 + 0.4 * 0.5, 1e-9));
  // One infinite interval makes the size infinite.
  value_of(results, {"set_1", 2, "cqr"}, "infinite", "0.1") = 0.01;
  CHECK(cost("cqr", "size") == infinity);
}

TEST_CASE("mean ranks: an infinite score and a failed task rank last, an unfinished run does not count") {
  Results results = frontier_results();
  const Frame ranks = mean_ranks(results).where({{"alpha", "0.1"}});
  CHECK(ranks.rows.front()["method"] == "adapt");
  CHECK(rank(results, "mondrian") == 9.0);
  // Table 5 of Demšar (2006) has q = 3.102 for nine methods.
  CHECK(ranks.number(0, "critical_difference") == near(3.102 * std::sqrt(9.0 * 10.0 / 36.0), 1e-3));

  value_of(results, {"set_1", 0, "adapt"}, "winkler", "0.1") = infinity;
  CHECK(rank(results, "adapt") == near((5 * 1.0 + 9.0) / 6, 1e-12));
  const Task failed{"set_2", 1, "adapt"};
  results.cells.erase(failed);
  CHECK(rank(results, "adapt") == near((5 * 1.0 + 9.0) / 6, 1e-12));
  results.failed[failed] = {};
  CHECK(rank(results, "adapt") == near((4 * 1.0 + 2 * 9.0) / 6, 1e-12));
  results.experiment.datasets = {"set_4"};
  CHECK(mean_ranks(results).empty());
}

TEST_CASE("against the best: Wilcoxon's test over data sets with Holm's correction, not Nemenyi's") {
  Results results = frontier_results(8);
  results.experiment.methods = {"fixed", "exp", "adapt", "cqr", "mondrian"};
  const auto like_best = [&] {
    return mean_ranks(results).where({{"alpha", "0.1"}}).where(is_like_best).distinct("method");
  };
  // Best on all eight sets, so p = 2/2⁸ against each of four others, 0.03 after Holm's correction; mean ranks
  // of 1 and 2 are nearer than the critical difference.
  const Frame ranks = mean_ranks(results).where({{"alpha", "0.1"}});
  CHECK(ranks.number(1, "p_holm") == near(4.0 * 2.0 / 256.0, 1e-12));
  CHECK(ranks.number(1, "rank") - ranks.number(0, "rank") < ranks.number(0, "critical_difference"));
  CHECK(like_best() == std::vector<std::string>{"adapt"});
  for (std::size_t run = 0; run < 4; ++run)  // one defeat, and a large one
    value_of(results, {"set_3", run, "cqr"}, "winkler", "0.1") *= 0.2;
  CHECK(like_best() == std::vector<std::string>{"adapt", "cqr"});
}

TEST_CASE("a task that failed by chance is missing: its method neither ranks last nor loses") {
  const DoneRun done;
  const Results whole = load_results(done.folder);
  const std::string method = mean_ranks(whole).rows.front()["method"],
                    alpha = mean_ranks(whole).rows.front()["alpha"];
  const Task task{"cos", 0, method};
  const auto failed_with = [&](const std::string& settings) {
    Cell cell{.task = task, .settings = settings, .data = "", .values = {}, .failure = "not enough memory"};
    if (!settings.empty()) cell.data = whole.cells.at(task).data;
    put_cell(done.folder, cell);
    return load_results(done.folder);
  };
  const auto rank_in = [&](const Results& results) {
    return row_of(mean_ranks(results), {{"method", method}, {"alpha", alpha}}).number("rank");
  };
  const auto losses_in = [&](const Results& results) {
    std::size_t losses = 0;
    for (const std::string& other : results.experiment.methods)
      for (const Row& row : records_against(results, other, Level::parse(alpha)))
        losses += row["method"] == method ? row.count("losses") : 0;
    return losses;
  };
  const Results by_chance = failed_with("");
  CHECK(by_chance.failed.empty());
  CHECK(by_chance.missing == std::vector{task});
  Results without = whole;  // that run, of all methods
  std::erase_if(without.cells,
                [](const auto& item) { return item.first.dataset == "cos" && item.first.run == 0; });
  CHECK(rank_in(by_chance) == rank_in(without));
  CHECK(losses_in(by_chance) == 0);
  check_ran(done.table(), 0, "1 task is not finished");

  const Results for_good = failed_with(whole.cells.at(task).settings);
  CHECK(for_good.failed.size() == 1);
  CHECK(rank_in(for_good) > rank_in(by_chance));
  CHECK(losses_in(for_good) == 6);
}

TEST_CASE("wins and losses are paired by run; what is not finite loses") {
  Results results = frontier_results();
  auto records = records_against(results, "exp", tenth);
  CHECK(record(records, "mondrian") == "0–0–6");
  CHECK(record(records, "sigma") == "0–6–0");  // the same but for noise
  CHECK(ratio(records, "adapt") == near(1.5 / 2.5, 0.01));
  for (std::size_t run = 0; run < 4; ++run)  // large in every run, but never the same: no proof
    value_of(results, {"set_1", run, "adapt"}, "winkler", "0.1") = run % 2 == 0 ? 0.01 : 50.0;
  value_of(results, {"set_2", 0, "adapt"}, "winkler", "0.1") = infinity;
  value_of(results, {"set_3", 0, "exp"}, "winkler", "0.1") = infinity;
  results.failed[{"set_4", 0, "mondrian"}] = {};
  records = records_against(results, "exp", tenth);
  CHECK(record(records, "adapt") == "4–1–1");
  CHECK(record(records, "mondrian") == "1–0–5");
}

TEST_CASE("wins and losses are about the runs that both sides have") {
  Results results = frontier_results(6, 8);
  std::erase_if(results.cells,
                [](const auto& item) { return item.first.method == "exp" && item.first.run >= 4; });
  const auto against = [&](const char* method, const char* base) {
    return record(records_against(results, base, tenth), method);
  };
  const auto fails = [&](std::size_t run) {
    results.cells.erase({"set_2", run, "adapt"});
    results.failed[{"set_2", run, "adapt"}] = {};
  };
  value_of(results, {"set_1", 6, "adapt"}, "winkler", "0.1") = infinity;
  fails(7);
  CHECK(against("adapt", "exp") == "6–0–0");
  CHECK(against("exp", "adapt") == "0–0–6");
  fails(3);  // in a run that both have tried
  CHECK(against("adapt", "exp") == "5–0–1");
}

TEST_CASE("a panel of Figure 1 is sorted by x; infinite and empty intervals are gaps, not numbers") {
  Results results = write_sample("sample_figures");
  const Frame whole = panel_data(results, "cos").value();
  for (std::size_t i = 1; i < whole.rows.size(); ++i) CHECK(whole.number(i - 1, "x") <= whole.number(i, "x"));
  CHECK(whole.number(7, "fixed_upper") - whole.number(7, "f") == near(2.9, 1e-9));
  CHECK_FALSE(panel_data(results, "concrete").has_value());
  const std::string intervals = "x,y,f,half_width,truth,sigma\n0,1,1,inf,1,1\n1,1,1,-1,1,1\n2,1,1,0.5,1,1\n";
  const auto store = [&](const std::string& method, const std::string& text) {
    const Task task{"cos", 0, method};
    store_sample("sample_figures", results.experiment, {{.cell = results.cells.at(task), .intervals = text}});
    results.cells[task] = *Cells("sample_figures").newest(task)->cell;
  };
  store("exp", intervals);
  CHECK_REFUSED(panel_data(results, "cos"), "the other methods have");
  for (const std::string& method : results.experiment.methods) store(method, intervals);
  const auto check_gaps = [&](double lower, double upper) {
    const Frame panel = panel_data(results, "cos").value();
    CHECK(std::isnan(panel.number(0, "exp_lower")));
    CHECK(std::isnan(panel.number(1, "exp_upper")));
    CHECK(panel.number(2, "exp_lower") == lower);
    CHECK(panel.number(2, "exp_upper") == upper);
  };
  check_gaps(0.5, 1.5);
  store(
      "exp",
      "x,y,f,half_width,truth,sigma,below,above\n0,1,1,inf,1,1,inf,inf\n1,1,1,-1,1,1,-1,-1\n2,1,1,1,1,1,-0.5,2.5\n");
  check_gaps(1.5, 3.5);
  const auto file = intervals_path("sample_figures", "cos");
  write_file(file, read_file(file) + "exp,3,1,1,0.5,1,1,0,1\n");
  CHECK_REFUSED(panel_data(results, "cos"), "is damaged");
}

TEST_CASE(
    "sizes relative to fixed are paired by run; a tenth with infinite intervals in some runs has none") {
  Results results = write_sample("sample_figures");
  const Frame sizes = relative_sizes(results);
  CHECK(sizes.rows.size() == 4 * 6 * 3);
  CHECK(sizes.rows[3]["method"] == "erc");
  CHECK(sizes.number(3, "ratio") == near(0.9, 0.06));  // as it was made
  // Runs share a spread of 5 % that cancels; what is left is 2 % on each side, over five runs.
  const Row& fresh = row_of(sizes, {{"dataset", "cos"}, {"method", "erc"}, {"alpha", "0.05"}});
  CHECK(fresh.number("upper") - fresh.number("lower") < 0.12);

  const auto row = [&] {
    const Frame table = by_local_error(results);
    return row_of(table, {{"dataset", "cos"}, {"method", "exp"}, {"alpha", "0.1"}, {"decile", "3"}});
  };
  CHECK(row()[6] != "");
  // Of the run's intervals one in another tenth is infinite, and with it their mean.
  value_of(results, {"cos", 1, "exp"}, "size_mean", "0.1") = HUGE_VAL;
  CHECK(row()[6] + row()[7] == "");
  CHECK(row()[4] != "");
}
