#include <doctest/doctest.h>

#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "output/figures.hpp"
#include "sample_results.hpp"
#include "store/store.hpp"

using namespace lacp;
namespace fs = std::filesystem;

TEST_CASE("a panel of Figure 1 is sorted by x and holds the band of each method around the prediction") {
  const Results results = write_sample("sample_figures");
  const TextTable panel = panel_data(results, "cos").value();
  const TextTable kept = read_text_table("sample_figures/intervals/cos/exp.csv");
  CHECK(panel.rows.size() == kept.rows.size());
  for (std::size_t i = 1; i < panel.rows.size(); ++i) CHECK(panel.number(i - 1, "x") <= panel.number(i, "x"));
  CHECK(panel.number(7, "exp_lower") + panel.number(7, "exp_upper") ==
        doctest::Approx(2.0 * panel.number(7, "f")));
  CHECK(panel.number(7, "fixed_upper") - panel.number(7, "f") == doctest::Approx(2.9));
  CHECK_FALSE(panel_data(results, "concrete").has_value());
}

TEST_CASE("infinite and empty intervals are gaps, not numbers") {
  Results results = write_sample("sample_figures");
  const std::string intervals = "x,y,f,half_width,truth,sigma\n0,1,1,inf,1,1\n1,1,1,-1,1,1\n2,1,1,0.5,1,1\n";
  const auto store = [&](const std::string& method) {
    const Task task{"cos", 0, method};
    store_result("sample_figures", results.experiment, "made up",
                 {.cell = results.cells.at(task), .intervals = intervals});
    results.cells[task] = *Cells("sample_figures").read(task);
  };
  store("exp");
  CHECK_THROWS_WITH_AS(panel_data(results, "cos"), doctest::Contains("the other methods have"), UserError);
  for (const std::string& method : results.experiment.methods) store(method);
  const TextTable panel = panel_data(results, "cos").value();
  CHECK(std::isnan(panel.number(0, "exp_lower")));
  CHECK(std::isnan(panel.number(1, "exp_upper")));
  CHECK(panel.number(2, "exp_upper") == 1.5);
  write_file("sample_figures/intervals/cos/exp.csv", intervals + "3,1,1,0.5,1,1\n");
  CHECK_THROWS_WITH_AS(panel_data(results, "cos"), doctest::Contains("is damaged"), UserError);
}

TEST_CASE("sizes relative to fixed are paired by run") {
  const Results results = write_sample("sample_figures");
  const TextTable sizes = relative_sizes(results);
  CHECK(sizes.rows.size() == 4 * 6 * 3);
  double product = 1.0;
  for (std::size_t run = 0; run < 5; ++run)
    product *= *results.cells.at({"energy_y1", run, "erc"}).value("size_mean", "0.05") /
               *results.cells.at({"energy_y1", run, "fixed"}).value("size_mean", "0.05");
  CHECK(sizes.rows[3][1] == "erc");
  CHECK(sizes.number(3, "ratio") == doctest::Approx(std::pow(product, 0.2)).epsilon(1e-9));
  // Runs share a spread of 5 % that cancels; what is left is 2 % on each side, over five runs.
  CHECK(sizes.number(3, "upper") - sizes.number(3, "lower") < 0.12);
}

TEST_CASE("figures are drawn as svg and pdf, the same bytes each time") {
  const Results results = write_sample("sample_figures");
  CHECK(write_figures(results) == std::vector<std::string>{"figure1", "sizes", "adaptivity"});
  for (const char* name : {"figure1", "sizes", "adaptivity"}) {
    const fs::path file = fs::path("sample_figures/figures") / name;
    CHECK(read_file(file.string() + ".svg").find("</svg>") != std::string::npos);
    CHECK(read_file(file.string() + ".pdf").starts_with("%PDF"));
  }
  const std::string svg = read_file("sample_figures/figures/sizes.svg");
  const std::string pdf = read_file("sample_figures/figures/sizes.pdf");
  CHECK(svg.find("concrete") != std::string::npos);
  write_figures(results);
  CHECK((read_file("sample_figures/figures/sizes.svg") == svg));
  if (pdf.find("/CreationDate") != std::string::npos)  // else cairo has compressed the time into it
    CHECK((read_file("sample_figures/figures/sizes.pdf") == pdf));
}

TEST_CASE("an experiment without kept intervals has no figure 1") {
  Results results = write_sample("sample_figures");
  results.experiment.keep_intervals.datasets.clear();
  CHECK(write_figures(results) == std::vector<std::string>{"sizes", "adaptivity"});
}
