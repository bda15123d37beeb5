#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "../../lib/test/near.hpp"
#include "analysis/figure_data.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "report/figures.hpp"
#include "sample_results.hpp"
#include "store/store.hpp"

using namespace lacp;

namespace {

/// Draws the figures of a folder with the program; what it says, which is nothing if all is well.
std::string draw(const std::string& folder) {
  const Ran figures = lacp_program({"figures", folder});
  CHECK(figures.status == 0);
  return figures.messages;
}

}  // namespace

TEST_CASE("a panel of Figure 1 is sorted by x and holds the band of each method around the prediction") {
  const Results results = write_sample("sample_figures");
  const Frame panel = panel_data(results, "cos").value();
  const Frame kept = read_frame("sample_figures/intervals/cos/exp.csv");
  CHECK(panel.rows.size() == kept.rows.size());
  for (std::size_t i = 1; i < panel.rows.size(); ++i) CHECK(panel.number(i - 1, "x") <= panel.number(i, "x"));
  CHECK(panel.number(7, "exp_lower") + panel.number(7, "exp_upper") ==
        near(2.0 * panel.number(7, "f"), 1e-9));
  CHECK(panel.number(7, "fixed_upper") - panel.number(7, "f") == near(2.9, 1e-9));
  CHECK_FALSE(panel_data(results, "concrete").has_value());
}

TEST_CASE("infinite and empty intervals are gaps, not numbers") {
  Results results = write_sample("sample_figures");
  const std::string intervals = "x,y,f,half_width,truth,sigma\n0,1,1,inf,1,1\n1,1,1,-1,1,1\n2,1,1,0.5,1,1\n";
  const auto store = [&](const std::string& method, const std::string& text) {
    const Task task{"cos", 0, method};
    store_sample("sample_figures", results.experiment, {{.cell = results.cells.at(task), .intervals = text}});
    results.cells[task] = *Cells("sample_figures").read(task);
  };
  store("exp", intervals);
  CHECK_THROWS_WITH_AS(panel_data(results, "cos"), doctest::Contains("the other methods have"), UserError);
  for (const std::string& method : results.experiment.methods) store(method, intervals);
  const Frame panel = panel_data(results, "cos").value();
  CHECK(std::isnan(panel.number(0, "exp_lower")));
  CHECK(std::isnan(panel.number(1, "exp_upper")));
  CHECK(panel.number(2, "exp_upper") == 1.5);
  store(
      "exp",
      "x,y,f,half_width,truth,sigma,below,above\n0,1,1,inf,1,1,inf,inf\n1,1,1,-1,1,1,-1,-1\n2,1,1,1,1,1,-0.5,2.5\n");
  const Frame unequal = panel_data(results, "cos").value();
  CHECK(std::isnan(unequal.number(0, "exp_lower")));
  CHECK(std::isnan(unequal.number(1, "exp_upper")));
  CHECK(unequal.number(2, "exp_lower") == 1.5);
  CHECK(unequal.number(2, "exp_upper") == 3.5);
  write_file("sample_figures/intervals/cos/exp.csv", intervals + "3,1,1,0.5,1,1\n");
  CHECK_THROWS_WITH_AS(panel_data(results, "cos"), doctest::Contains("is damaged"), UserError);
}

TEST_CASE("sizes relative to fixed are paired by run") {
  const Results results = write_sample("sample_figures");
  const Frame sizes = relative_sizes(results);
  CHECK(sizes.rows.size() == 4 * 6 * 3);
  double product = 1.0;
  for (std::size_t run = 0; run < 5; ++run)
    product *= *results.cells.at({"energy_y1", run, "erc"}).value("size_mean", "0.05") /
               *results.cells.at({"energy_y1", run, "fixed"}).value("size_mean", "0.05");
  CHECK(sizes.rows[3][1] == "erc");
  CHECK(sizes.number(3, "ratio") == near(std::pow(product, 0.2), 1e-9));
  // Runs share a spread of 5 % that cancels; what is left is 2 % on each side, over five runs.
  CHECK(sizes.number(3, "upper") - sizes.number(3, "lower") < 0.12);
}

TEST_CASE("a tenth in which some runs have infinite intervals has no relative size") {
  Results results = write_sample("sample_figures");
  const auto row = [&] {
    const Frame table = by_local_error(results);
    return row_of(table, {{"dataset", "cos"}, {"method", "exp"}, {"alpha", "0.1"}, {"decile", "3"}});
  };
  REQUIRE(row().fields.size() == 9);
  CHECK(!row()[6].empty());
  // Of the run's intervals one in another tenth is infinite, and with it their mean.
  for (Measurement& m : results.cells.at({"cos", 1, "exp"}).values)
    if (m.metric == "size_mean" && m.alpha == "0.1") m.value = HUGE_VAL;
  CHECK(row()[6] == "");
  CHECK(row()[7] == "");
  CHECK(row()[4] != "");
}

TEST_CASE("figures are drawn as svg and pdf, the same bytes each time") {
  const Results results = write_sample("sample_figures");
  CHECK(write_figures(results).there == std::vector<std::string>{"figure1", "sizes", "adaptivity"});
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
  CHECK(write_figures(results).there == std::vector<std::string>{"sizes", "adaptivity"});
}

TEST_CASE("Figure 1 of a data set with one attribute has no true band") {
  Results results = write_sample("sample_figures");
  for (const std::string& method : results.experiment.methods) {
    const Task task{"cos", 0, method};
    store_sample("sample_figures", results.experiment,
                 {{.cell = results.cells.at(task),
                   .intervals = "row,x,y,f,half_width,truth,sigma\n2,0,1,1,0.4,,\n5,10,2,1,0.5,,\n"}});
  }
  CHECK(draw("sample_figures") == "");
  const std::string names = read_file("sample_figures/figures/names.gp");
  CHECK(names.find("panels = \"cos linear\"") != std::string::npos);
  CHECK(names.find("banded = \"linear\"") != std::string::npos);
}

TEST_CASE("points with error bars are drawn on what is there, without white discs") {
  write_sample("sample_figures");
  CHECK(draw("sample_figures") == "");
  for (const char* name : {"figure1", "sizes", "adaptivity"}) {
    std::size_t white = 0, markers = 0;
    for (const std::string& line :
         split_text(read_file(fmt::format("sample_figures/figures/{}.svg", name)), '\n'))
      if (line.find("<use xlink") != std::string::npos && line.find("translate") != std::string::npos) {
        ++markers;
        if (line.find("color='white'") != std::string::npos ||
            line.find("color='#FFFFFF'") != std::string::npos)
          ++white;
      }
    INFO(name);
    CHECK(white == 0);
    if (std::string(name) == "adaptivity")  // data sets, drawn methods, deciles, and the key
      CHECK(markers == 4 * 5 * 10 + 5);
  }
}

TEST_CASE(
    "a single panel, of a single run, is drawn without warnings, and its label leaves the ticks alone") {
  write_sample("sample_figures", {}, [](Experiment& e) { e.datasets = {"cos"}, e.runs = 1; });
  CHECK(draw("sample_figures") == "");
  double label = 0.0, first_tick = 1e9, x = 0.0;  // from the left edge
  for (const std::string& line : split_text(read_file("sample_figures/figures/adaptivity.svg"), '\n')) {
    if (const std::size_t at = line.find("translate("); at != std::string::npos)
      x = std::stod(line.substr(at + 10));
    const std::size_t text = line.find("<text>");
    if (text == std::string::npos) continue;
    const std::string content = line.substr(text + 6, line.find('<', text + 1) - text - 6);
    if (content.starts_with("coverage at")) label = x + 3;  // turned: what reaches below the line
    if (trim(content).starts_with("0."))                    // ends at x; a digit of 13 points is 7.3 wide
      first_tick = std::min(first_tick, x - 7.3 * static_cast<double>(trim(content).size()));
  }
  CHECK(label > 0.0);
  CHECK(first_tick - label > 4.0);
}

TEST_CASE("one wild method does not squeeze the axis of the sizes, and what is cut off gets an arrow") {
  Results results = write_sample("sample_figures");
  const AxisRange calm = sizes_axis(relative_sizes(results));
  CHECK(calm.low > 0.6);
  CHECK(calm.high < 1.5);  // erc_error_fit, 1.6 times as large as fixed, is one of six: beyond the fences
  for (auto& [task, cell] : results.cells)
    if (task.method == "erc_error_fit")
      for (Measurement& m : cell.values)
        if (m.metric == "size_mean") m.value *= 1000.0;
  const Frame wild = relative_sizes(results);
  CHECK(sizes_axis(wild).high == near_share(calm.high, 1e-9));
  CHECK(sizes_axis(wild).low == near_share(calm.low, 1e-9));
  write_figures(results);
  const std::string svg = read_file("sample_figures/figures/sizes.svg");
  for (std::size_t i = 0; i < wild.rows.size(); ++i)
    if (const double ratio = wild.number(i, "ratio"); ratio > 100.0)
      CHECK(svg.find(fmt::format("<text>{:.0f}</text>", ratio)) != std::string::npos);
}

TEST_CASE("sizes beyond the axis are told in numbers that do not overlap, however many methods explode") {
  Results results = write_sample("sample_figures");
  double factor = 1e3;
  for (const char* method : {"linear", "exp", "sigma"}) {
    for (auto& [task, cell] : results.cells)
      if (task.method == method && task.dataset == "concrete")
        for (Measurement& m : cell.values)
          if (m.metric == "size_mean") m.value *= factor;
    factor *= 1e3;
  }
  write_figures(results);
  std::map<double, std::vector<double>> heights;  // of numbers beyond the axis, by where they end
  double x = 0.0, y = 0.0;
  for (const std::string& line : split_text(read_file("sample_figures/figures/sizes.svg"), '\n')) {
    if (const std::size_t at = line.find("translate("); at != std::string::npos) {
      x = std::stod(line.substr(at + 10));
      y = std::stod(line.substr(line.find(',', at) + 1));
    }
    for (const char* value : {"<text>9", "<text>8"})
      if (line.find(value) != std::string::npos && line.find("<text>9</text>") == std::string::npos)
        heights[x].push_back(y);
  }
  CHECK(heights.size() == 3);  // levels
  for (auto& [end, at] : heights) {
    REQUIRE(at.size() == 3);  // methods
    std::ranges::sort(at);
    CHECK(at[1] - at[0] > 7.0);  // digits of 9 points are 6.5 high
    CHECK(at[2] - at[1] > 7.0);
  }
}
