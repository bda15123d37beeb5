#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "../../lib/test/near.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp_program.hpp"
#include "latex_pages.hpp"
#include "report/tables.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

const Row& entry(const Frame& entries, std::string_view dataset, std::string_view method,
                 std::string_view alpha) {
  return row_of(entries, {{"dataset", dataset}, {"method", method}, {"alpha", alpha}});
}

}  // namespace

TEST_CASE("an entry is the mean and the population deviation over the runs of its cells") {
  const Results results = write_sample("sample_table");
  const Frame entries = table_entries(results);
  CHECK(entries.size() == 4 * 7 * 3);
  double sum = 0.0, squares = 0.0;
  for (std::size_t run = 0; run < 5; ++run) {
    const double size = *results.cells.at({"concrete", run, "exp"}).value("size_mean", "0.1");
    sum += size;
    squares += size * size;
  }
  const Row& e = entry(entries, "concrete", "exp", "0.1");
  CHECK(e.number("size_mean") == near_share(sum / 5.0, 1e-12));
  CHECK(e.number("size_std") == near_share(std::sqrt(squares / 5.0 - sum * sum / 25.0), 1e-9));
  CHECK(is_complete(e));
}

TEST_CASE("table.csv follows the experiment's order and reads back") {
  const Results results = write_sample("sample_table");
  write_table(results, table_entries(results));
  const Frame table = read_frame("sample_table/table.csv");
  CHECK(table.rows.size() == 84);
  CHECK(table.rows[0][0] == "energy_y1");
  CHECK(table.rows[0][1] == "erc_error_fit");
  CHECK(table.rows[83][1] == "mixture");
  CHECK(table.number(0, "runs") == 5);
  CHECK(table.number(0, "size_mean") == near_share(table_entries(results).number(0, "size_mean"), 1e-9));
}

TEST_CASE("a cell with fewer runs than asked for is marked and never the best") {
  const Frame entries = table_entries(write_sample("sample_table", {.incomplete = true}));
  const Row& fewer = entry(entries, "concrete", "erc", "0.05");
  CHECK(fewer.count("runs") == 3);
  CHECK_FALSE(is_complete(fewer));
  CHECK(fewer["best"] == "0");
  CHECK(entry(entries, "concrete", "erc_error_fit", "0.05").count("runs") == 0);
  const Results results = load_results("sample_table");
  CHECK(results.missing.size() == 7);
  const std::string tex = table_tex(results, entries);
  CHECK(tex.find("^{\\dagger 3}") != std::string::npos);
  CHECK(tex.find("mean of only $k$ of the 5 runs") != std::string::npos);
  CHECK(table_markdown(results, entries).find("†3") != std::string::npos);
}

TEST_CASE("one infinite interval makes the size infinite") {
  const Results results = write_sample("sample_table", {.infinite = true});
  const Row e = entry(table_entries(results), "energy_y1", "linear", "0.05");
  CHECK(std::isinf(e.number("size_mean")));
  CHECK(e.number("infinite") == near(0.004, 1e-12));
  CHECK(e["best"] == "0");
  CHECK(std::isfinite(entry(table_entries(results), "energy_y1", "linear", "0.1").number("size_mean")));
}

TEST_CASE("exactly the smallest printed size of each data set and level is bold") {
  const Frame entries = table_entries(write_sample("sample_table"));
  for (const Row& e : entries) {
    bool smallest = true;
    for (const Row& other : entries)
      if (other["dataset"] == e["dataset"] && other["alpha"] == e["alpha"])
        smallest = smallest && fmt::format("{:.3f}", e.number("size_mean")) <=
                                   fmt::format("{:.3f}", other.number("size_mean"));
    CHECK((e["best"] == "1") == smallest);
  }
}

TEST_CASE("cells of other settings are set aside, damaged ones are an error") {
  write_sample("sample_table");
  const auto change_manifest = [](const std::string& from, const std::string& to) {
    std::string manifest = read_file("sample_table/manifest.yaml");
    const std::size_t at = manifest.find(from);
    REQUIRE(at != std::string::npos);
    write_file("sample_table/manifest.yaml", manifest.replace(at, from.size(), to));
  };
  change_manifest("squared_error_fit: false", "squared_error_fit: true");
  const Results results = load_results("sample_table");
  CHECK(results.different.size() == 4 * 5);
  CHECK(entry(table_entries(results), "cos", "erc_error_fit", "0.1").count("runs") == 0);
  // Other data: the manifest says what the cells have to be made from.
  change_manifest("cos: {fingerprint: made up}", "cos: {fingerprint: changed}");
  CHECK(load_results("sample_table").different.size() == 3 * 5 + 7 * 5);
  std::string cells = read_file("sample_table/cells/cos.csv");
  cells.at(cells.find(",size_mean,") + 1) = 'S';
  write_file("sample_table/cells/cos.csv", cells);
  CHECK_THROWS_AS(load_results("sample_table"), UserError);
}

TEST_CASE("table.tex compiles on its own and by \\input, on pages it fits on") {
  for (const bool flawed : {false, true}) {
    const Results results = write_sample("sample_table", {.incomplete = flawed, .infinite = flawed});
    write_table(results, table_entries(results));
    CHECK(latex_pages("sample_table", "table").size() >= 1);
  }
}

TEST_CASE("no page of table.tex ends inside a block, whatever the length of the caption") {
  for (std::size_t caption = 1; caption < 10; ++caption) {  // lines: the page break wanders over a block
    const Results results = write_sample("sample_table", {}, [&](Experiment& e) {
      e.runs = 1;
      for (const char* dataset : {"homes", "CASP", "facebook_1", "squared", "inverse"})
        e.datasets.push_back(dataset);
      for (std::size_t i = 1; i < caption; ++i)
        e.title +=
            ". A line of the caption that is as long as the page is wide, so that the table begins one line further down";
    });
    write_table(results, table_entries(results));
    CHECK(check_blocks(latex_pages("sample_table", "table"),
                       {"erc (error fit)", "erc", "linear", "exp", "sigma", "fixed", "mixture"}) == 9);
  }
}

TEST_CASE("one run has no standard deviation") {
  const Results results = write_sample("sample_table", {}, [](Experiment& e) { e.runs = 1; });
  const Frame entries = table_entries(results);
  write_table(results, entries);
  const Frame table = read_frame("sample_table/table.csv");
  CHECK(table.rows[0][table.column("size_std")] == "");
  CHECK(table.rows[0][table.column("validity_std")] == "");
  CHECK(std::isnan(read_table_csv("sample_table/table.csv").number(0, "size_std")));
  CHECK(table_markdown(results, entries).find("± –") != std::string::npos);
  CHECK(read_file("sample_table/table.tex").find("\\pm \\textrm{--}") != std::string::npos);
  CHECK(read_file("sample_table/table.tex").find("\\pm 0.000") == std::string::npos);
}

TEST_CASE("a pool that the test points do not fill is named, and a validity that measures nothing") {
  const auto written = [](std::size_t pool, std::size_t scored, EvaluationMode mode) {
    const Results results = write_sample("sample_table", {}, [&](Experiment& e) {
      e.evaluation = {.mode = mode, .pool = pool, .scored = scored, .quantile = QuantileRule::ceiling};
    });
    const Frame entries = table_entries(results);
    Ran table = lacp_program({"table", "sample_table"});
    CHECK(table.status == 0);
    std::ranges::replace(table.output, '\n', ' ');  // its lines fit a terminal
    return std::vector{table.output, table_tex(results, entries), table_markdown(results, entries)};
  };
  // 60 test points of concrete, 200 of the others
  for (const std::string& text : written(96, 80, EvaluationMode::leave_one_out)) {
    CHECK(has(text, "Fewer test points than the pool of 96: concrete (60)."));
    CHECK(has(text, "Fewer points scored than the 80 asked for: concrete (60)."));
    CHECK(has(text, "scored by leave-one-out on concrete (60): validity is then a constant"));
  }
  for (const std::string& text : written(50, 40, EvaluationMode::leave_one_out)) {
    CHECK_FALSE(has(text, "Fewer"));
    CHECK_FALSE(has(text, "constant"));
  }
  for (const std::string& text : written(96, 0, EvaluationMode::halves)) {
    CHECK(has(text, "Fewer test points than the pool of 96: concrete (60)."));
    CHECK_FALSE(has(text, "constant"));
  }
}
