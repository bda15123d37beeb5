#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../lib/test/near.hpp"
#include "analysis/figure_data.hpp"
#include "frontier_results.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "report/figures.hpp"

using namespace lacp;

namespace {

const double infinity = std::numeric_limits<double>::infinity();
const Level tenth = Level::parse("0.1");

const Row& point(const Frame& points, std::string_view dataset, std::string_view method) {
  return row_of(points, {{"dataset", dataset}, {"method", method}});
}

/// "6–0–0" for wins, ties and losses of a method.
std::string record(const Frame& records, std::string_view method) {
  const Row& r = row_of(records, {{"method", method}});
  return fmt::format("{}–{}–{}", r["wins"], r["ties"], r["losses"]);
}

double ratio(const Frame& records, std::string_view method) {
  return row_of(records, {{"method", method}}).number("ratio");
}

double rank(const Results& results, std::string_view method) {
  return row_of(mean_ranks(results), {{"method", method}, {"alpha", "0.1"}}).number("rank");
}

/// Where the texts of an svg stand, and what they say.
struct SvgText {
  double x, y;
  std::string content;
};
std::vector<SvgText> texts_of(const std::string& file) {
  std::vector<SvgText> texts;
  double x = 0.0, y = 0.0;
  for (const std::string& line : split_text(read_file(file), '\n')) {
    if (const std::size_t at = line.find("translate("); at != std::string::npos) {
      x = std::stod(line.substr(at + 10));
      y = std::stod(line.substr(line.find(',', at) + 1));
    }
    if (const std::size_t at = line.find("<text>"); at != std::string::npos)
      texts.push_back({x, y, std::string(trim(line.substr(at + 6, line.find("</text>") - at - 6)))});
  }
  return texts;
}

bool says(const std::vector<SvgText>& texts, const std::string& content) {
  return std::ranges::any_of(texts, [&](const SvgText& t) { return t.content == content; });
}

}  // namespace

TEST_CASE("the curve of adaptation goes from fixed by adapt_NN; other names are not on it") {
  CHECK(adaptation_of("fixed") == 0.0);
  CHECK(adaptation_of("adapt_75") == 0.75);
  CHECK(adaptation_of("adapt_100") == 1.0);
  CHECK_FALSE(adaptation_of("adapt"));
  CHECK_FALSE(adaptation_of("adapt_more"));
  CHECK_FALSE(adaptation_of("exp"));
  Results results = frontier_results();
  CHECK(compares_intervals(results));
  results.experiment.methods = {"fixed", "exp", "mixture"};
  CHECK_FALSE(compares_intervals(results));
  results.experiment.methods = {"exp", "adapt"};  // nothing to be relative to
  CHECK_FALSE(compares_intervals(results));
}

TEST_CASE("a point of the frontier: size relative to fixed of the same run, coverage of the hardest tenth") {
  Results results = frontier_results();
  const auto points = frontier(results, {tenth});
  CHECK(points.size() == 6 * 9);
  CHECK(points.rows[0]["method"] == "fixed");
  CHECK(points.number(0, "relative_size") == 1.0);
  CHECK(points.rows[4]["method"] == "adapt_100");  // the curve by θ, then the others
  double product = 1.0;
  for (std::size_t run = 0; run < 4; ++run)
    product *= value_of(results, {"set_2", run, "adapt_75"}, "size_mean", "0.1") /
               value_of(results, {"set_2", run, "fixed"}, "size_mean", "0.1");
  CHECK(point(points, "set_2", "adapt_75").number("relative_size") == near(std::pow(product, 0.25), 1e-9));
  CHECK(point(points, "set_2", "adapt_75").number("coverage") == near(0.5 + 0.4 * 0.75 - 0.01, 1e-9));
  // One infinite interval makes the size infinite: it is named, and does not squeeze the axis.
  value_of(results, {"set_1", 2, "cqr"}, "infinite", "0.1") = 0.01;
  for (std::size_t run = 0; run < 4; ++run)
    value_of(results, {"set_1", run, "rlcp"}, "size_mean", "0.1") *= 40.0;
  const auto wild = frontier(results, {tenth});
  CHECK(point(wild, "set_1", "cqr").number("relative_size") == infinity);
  const FrontierPanel panel = frontier_panel(wild.where({{"dataset", "set_1"}}));
  CHECK(panel.beyond.distinct("method") == std::vector<std::string>{"cqr", "rlcp"});
  CHECK(panel.axis.high < 1.1);
  CHECK(panel.axis.low == near(0.8, 0.02));
  CHECK(frontier_panel(wild.where({{"dataset", "set_2"}})).beyond.empty());
}

TEST_CASE("frontier and ranks are drawn for an experiment that has the methods, whatever its name") {
  Results results = frontier_results(16);
  for (std::size_t run = 0; run < 4; ++run)
    value_of(results, {"set_3", run, "rlcp"}, "size_mean", "0.1") *= 40.0;
  CHECK(write_figures(results).there == std::vector<std::string>{"sizes", "adaptivity", "frontier", "ranks"});
  const auto frontier = texts_of("sample_frontier/figures/frontier.svg");
  CHECK(says(frontier, "set_16"));
  CHECK(says(frontier, "θ = 0"));
  CHECK(says(frontier, "¾"));
  CHECK(says(frontier, "beyond: rlcp 49"));
  for (const char* method : {"adapt", "cqr", "exp", "rlcp"}) CHECK_MESSAGE(says(frontier, method), method);
  for (const SvgText& t : frontier) CHECK_MESSAGE((t.x >= 0.0 && t.x < 720.0), t.content);
  CHECK(read_frame("sample_frontier/figures/frontier.csv").rows.size() == 16 * 9 * 3);
  CHECK(says(texts_of("sample_frontier/figures/ranks.svg"), "CD 3.00"));
  results.experiment.methods = {"fixed", "exp", "rlcp"};
  std::filesystem::remove_all("sample_frontier");
  CHECK(write_figures(results).there == std::vector<std::string>{"sizes", "adaptivity"});
  CHECK_FALSE(std::filesystem::exists("sample_frontier/figures/ranks.gp"));
}

TEST_CASE("mean ranks: an infinite score and a failed task rank last, an unfinished run does not count") {
  Results results = frontier_results();
  const Frame ranks = mean_ranks(results).where({{"alpha", "0.1"}});
  const Row& best = ranks.rows.front();
  CHECK(best["method"] == "adapt");
  CHECK(best.count("datasets") == 6);
  CHECK(rank(results, "adapt") == 1.0);
  CHECK(rank(results, "cqr") == 2.0);
  CHECK(rank(results, "rlcp") == 9.0);
  CHECK(best.number("friedman_p") < 1e-6);
  // Table 5 of Demšar (2006) has q = 3.102 for nine methods.
  CHECK(best.number("critical_difference") == near(3.102 * std::sqrt(9.0 * 10.0 / 36.0), 1e-3));
  CHECK(is_like_best(row_of(ranks, {{"method", "cqr"}}), ranks));
  CHECK_FALSE(is_like_best(row_of(ranks, {{"method", "rlcp"}}), ranks));

  value_of(results, {"set_1", 0, "adapt"}, "winkler", "0.1") = infinity;
  CHECK(rank(results, "adapt") == near((5 * 1.0 + 9.0) / 6, 1e-12));
  const Task failed{"set_2", 1, "adapt"}, unfinished{"set_3", 1, "cqr"};
  results.cells.erase(failed);
  CHECK(tried_runs(results, "set_2") == std::vector<std::size_t>{0, 2, 3});
  CHECK(rank(results, "adapt") == near((5 * 1.0 + 9.0) / 6, 1e-12));
  results.failed[failed] = {};
  CHECK(tried_runs(results, "set_2").size() == 4);
  CHECK(rank(results, "adapt") == near((4 * 1.0 + 2 * 9.0) / 6, 1e-12));
  results.experiment.datasets = {"set_4"};
  CHECK(mean_ranks(results).empty());
}

TEST_CASE("wins and losses are paired by run; what is not finite loses") {
  Results results = frontier_results();
  auto records = records_against(results, results, "exp", tenth, results.experiment.datasets);
  CHECK(records.size() == 8);  // all but exp itself
  CHECK(record(records, "adapt") == "6–0–0");
  CHECK(record(records, "rlcp") == "0–0–6");
  CHECK(record(records, "adapt_50") == "0–6–0");  // the same but for noise
  CHECK(ratio(records, "adapt") == near(1.5 / 2.5, 0.01));
  for (std::size_t run = 0; run < 4; ++run)  // large in every run, but never the same: no proof
    value_of(results, {"set_1", run, "adapt"}, "winkler", "0.1") = run % 2 == 0 ? 0.01 : 50.0;
  value_of(results, {"set_2", 0, "adapt"}, "winkler", "0.1") = infinity;
  value_of(results, {"set_3", 0, "exp"}, "winkler", "0.1") = infinity;
  results.failed[{"set_4", 0, "rlcp"}] = {};
  records = records_against(results, results, "exp", tenth, results.experiment.datasets);
  CHECK(record(records, "adapt") == "4–1–1");
  CHECK(record(records, "rlcp") == "1–0–5");
  // The same method elsewhere, where everything costs a tenth more.
  Results other = frontier_results();
  for (auto& [task, cell] : other.cells)
    for (Measurement& m : cell.values)
      if (m.metric == "winkler") m.value *= 1.1 + 0.001 * static_cast<double>(task.run);
  const auto dearer = records_against(other, frontier_results(), "", tenth, other.experiment.datasets);
  CHECK(dearer.size() == 9);
  CHECK(record(dearer, "cqr") == "0–0–6");
  CHECK(ratio(dearer, "cqr") == near(1.1, 0.01));
}

TEST_CASE("wins and losses are about the runs that both sides have") {
  const Results few = frontier_results(6, 4);
  Results many = frontier_results(6, 8);
  value_of(many, {"set_1", 6, "adapt"}, "winkler", "0.1") = infinity;
  many.cells.erase({"set_2", 7, "adapt"});
  many.failed[{"set_2", 7, "adapt"}] = {};
  for (auto& [task, cell] : many.cells)
    for (Measurement& m : cell.values)
      if (m.metric == "winkler") m.value *= 0.5 + 0.001 * static_cast<double>(task.run);
  CHECK(record(records_against(many, few, "", tenth, many.experiment.datasets), "adapt") == "6–0–0");
  CHECK(record(records_against(few, many, "", tenth, few.experiment.datasets), "adapt") == "0–0–6");
  many.failed[{"set_2", 3, "adapt"}] = {};  // in a run that both have tried
  many.cells.erase({"set_2", 3, "adapt"});
  CHECK(record(records_against(many, few, "", tenth, many.experiment.datasets), "adapt") == "5–0–1");
}

TEST_CASE("costs: medians over data sets, and where the hardest tenth is missed") {
  const Results results = frontier_results();
  const auto all = costs(results, tenth);
  CHECK(all.size() == 9);
  CHECK(all.rows.front()["method"] == "adapt_100");
  CHECK(all.rows.back()["method"] == "fixed");
  CHECK(all.number(0, "hardest") == near(0.9 - 0.025, 1e-9));
  CHECK(all.number(0, "lowest") == near(0.85, 1e-9));
  CHECK(all.rows.front()["lowest_at"] == "set_6");
  CHECK(all.rows.front()["missed"].empty());
  CHECK(all.rows.back()["missed"] == "set_1, set_2, set_3, set_4, set_5, set_6");
  CHECK(all.number(8, "size") == 1.0);
  CHECK(std::isnan(all.number(8, "excess_risk")));
}
