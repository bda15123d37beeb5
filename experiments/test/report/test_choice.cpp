// The numbers behind "Which intervals should I use?", and those that the figures show.
#include <cmath>

#include "lacp_program.hpp"
#include "near.hpp"
#include "report/analysis/choice.hpp"
#include "report/analysis/claims.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

const Level tenth = Level::parse("0.1");

double rank(const Results& results, std::string_view method) {
  for (const MethodRank& r : mean_ranks(results))
    if (r.method == method && r.level == tenth) return r.rank;
  return NAN;
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

TEST_CASE("costs: size relative to fixed of the same run, coverage of the hardest tenth") {
  Results results = frontier_results(1);
  const auto cost = [&](const char* method) {
    const std::vector<MethodCost> all = costs(results, tenth);
    return *std::ranges::find(all, method, &MethodCost::method);
  };
  double product = 1.0;
  for (std::size_t run = 0; run < 4; ++run)
    product *= value_of(results, {"set_1", run, "exp"}, "size_mean", "0.1") /
               value_of(results, {"set_1", run, "fixed"}, "size_mean", "0.1");
  CHECK(cost("exp").size == near(std::pow(product, 0.25), 1e-9));
  CHECK(cost("exp").hardest == near(0.5 + 0.4 * 0.5, 1e-9));
  CHECK(cost("adapt").winkler == near(0.5, 0.01));
  // One infinite interval makes the size infinite.
  value_of(results, {"set_1", 2, "cqr"}, "infinite", "0.1") = 0.01;
  CHECK(cost("cqr").size == infinity);
}

TEST_CASE("mean ranks: an infinite score and a failed task rank last, an unfinished run does not count") {
  Results results = frontier_results();
  CHECK(mean_ranks(results).front().method == "adapt");
  CHECK(rank(results, "mondrian") == 9.0);
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

TEST_CASE("against the best: Wilcoxon's test over data sets with Holm's correction") {
  Results results = frontier_results(8);
  results.experiment.methods = {"fixed", "exp", "adapt", "cqr", "mondrian"};
  const auto like_best = [&] {
    Words methods;
    for (const MethodRank& r : mean_ranks(results))
      if (r.level == tenth && r.is_like_best()) methods.push_back(r.method);
    return methods;
  };
  // Best on all eight sets, so p = 2/2⁸ against each of four others, 0.03 after Holm's correction.
  CHECK(mean_ranks(results)[1].p_holm == near(4.0 * 2.0 / 256.0, 1e-12));
  CHECK(like_best() == Words{"adapt"});
  for (std::size_t run = 0; run < 4; ++run)  // one defeat, and a large one
    value_of(results, {"set_3", run, "cqr"}, "winkler", "0.1") *= 0.2;
  CHECK(like_best() == Words{"adapt", "cqr"});
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
    results.cells[task] = *newest(fs::path("sample_figures"), task);
  };
  store("exp", intervals);
  CHECK_REFUSED(panel_data(results, "cos"), "of the others");
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
