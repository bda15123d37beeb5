// When a figure is drawn, when it is left as it is, and how it looks.
#include "analysis/choice.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

/// gnuplot that writes half a picture where it is told to: by a temporary name, or by that of the script.
const std::string half_picture =
    "for word; do case $word in\n"
    "  temporary*) word=${word#*\\\"}; to=${word%\\\"}.svg.tmp ;;\n"
    "  *.gp) to=${to:-${word%.gp}.svg} ;;\n"
    "esac; done\n"
    "echo '<svg' >\"$to\"\n";

void set_path(const std::string& path) { REQUIRE(::setenv("PATH", path.c_str(), 1) == 0); }

/// Programs but gnuplot, which `script` stands in for; "": there is none.
class Tools {
 public:
  explicit Tools(const std::string& script) {
    fs::create_symlink("/usr/bin/env", folder_ / "env");
    set_path(folder_.path());
    if (script.empty()) return;
    write_file(folder_ / "gnuplot", "#!/bin/sh\n" + script);
    fs::permissions(folder_ / "gnuplot", fs::perms::owner_all);
  }
  ~Tools() { set_path(before_); }

 private:
  TemporaryFolder folder_;
  std::string before_ = ::getenv("PATH");
};

}  // namespace

TEST_CASE("figures are drawn as svg and pdf, points without white discs, the same bytes each time") {
  const Results results = write_sample("sample_figures");
  CHECK(write_figures(results).there == Words{"figure1", "sizes", "adaptivity"});
  for (const std::string name : {"figure1", "sizes", "adaptivity"})
    CHECK(read_file("sample_figures/figures/" + name + ".pdf").starts_with("%PDF"));
  std::size_t markers = 0;  // on what was drawn before, without white discs
  for (const std::string& line : split_text(read_file("sample_figures/figures/adaptivity.svg"), '\n'))
    if (has(line, "<use xlink") && has(line, "translate")) {
      ++markers;
      check_lacks(line, {"color='white'", "color='#FFFFFF'"});
    }
  CHECK(markers == 4 * 5 * 10 + 5);  // data sets, methods, deciles, and the key
  const fs::path svg = "sample_figures/figures/sizes.svg";
  const std::string first = read_file(svg);
  fs::remove(svg);  // else it would stay as it is
  write_figures(results);
  CHECK((read_file(svg) == first));
}

TEST_CASE("a single panel of one run is drawn without warnings, and its label leaves the ticks alone") {
  write_sample("sample_figures", {}, [](Experiment& e) { e.datasets = {"cos"}, e.runs = 1; });
  CHECK(must_run({"figures", "sample_figures"}).messages == "");
  double label = 0.0, first_tick = 1e9;  // from the left edge
  for (const auto& [x, y, content] : texts_of("sample_figures/figures/adaptivity.svg")) {
    if (content.starts_with("coverage at")) label = x + 3;  // turned: what reaches below the line
    if (content.starts_with("0."))                          // ends at x; a digit of 13 points is 7.3 wide
      first_tick = std::min(first_tick, x - 7.3 * static_cast<double>(content.size()));
  }
  CHECK(label > 0.0);
  CHECK(first_tick - label > 4.0);
}

TEST_CASE("wild methods do not squeeze the axis of sizes; what is cut off is told without overlap") {
  Results results = write_sample("sample_figures");
  const AxisRange calm = sizes_axis(relative_sizes(results));
  CHECK(calm.low > 0.6);
  CHECK(calm.high < 1.5);  // erc_error_fit, 1.6 times as large as fixed, is one of six: beyond the fences
  change_values(results, "size_mean", [](const Task& task, Measurement& m) {
    if (task.method == "erc_error_fit") m.value *= 1000.0;
  });
  const Frame wild = relative_sizes(results);
  CHECK(sizes_axis(wild).high == near_share(calm.high, 1e-9));
  CHECK(sizes_axis(wild).low == near_share(calm.low, 1e-9));

  results = write_sample("sample_figures");
  const std::map<std::string, double> factors = {{"linear", 1e3}, {"exp", 1e6}, {"sigma", 1e9}};
  change_values(results, "size_mean", [&](const Task& task, Measurement& m) {
    if (task.dataset == "concrete" && factors.contains(task.method)) m.value *= factors.at(task.method);
  });
  write_figures(results);
  std::map<double, std::vector<double>> heights;  // of numbers beyond the axis, by where they end
  for (const auto& [x, y, content] : texts_of("sample_figures/figures/sizes.svg"))
    if ((content.starts_with("9") && content != "9") || content.starts_with("8")) heights[x].push_back(y);
  CHECK(heights.size() == 3);  // levels
  for (auto& [end, at] : heights) {
    REQUIRE(at.size() == 3);  // methods
    std::ranges::sort(at);
    CHECK(at[1] - at[0] > 7.0);  // digits of 9 points are 6.5 high
    CHECK(at[2] - at[1] > 7.0);
  }
}

TEST_CASE("a figure stays as it is, wherever it was drawn, until its data or its script changes") {
  const TemporaryFolder folder;
  Results results = write_sample(folder / "mine");
  must_run({"figures", folder / "mine"});
  for (const char* name : {"sizes", "figure1", "adaptivity"}) {  // as another version of gnuplot has them
    const fs::path svg = folder / fmt::format("mine/figures/{}.svg", name);
    std::string text = read_file(svg);
    write_file(svg, text.insert(text.find('.', text.find("translate(")) + 1, "9"));
  }
  fs::remove(folder / "mine/figures/adaptivity.pdf");  // not tracked, so not in a clone
  const auto before = files_below(folder / "mine/figures");
  must_run({"figures", folder / "mine"});
  auto after = files_below(folder / "mine/figures");
  CHECK(after.erase("adaptivity.pdf") == 1);
  for (const auto& [name, file] : before) {
    if (name.ends_with(".svg") || name.ends_with(".pdf")) CHECK_MESSAGE(after.at(name) == file, name);
    CHECK_MESSAGE(after.at(name).first == file.first, name);
  }

  // One number of the data of sizes.svg alone.
  value_of(results, {"concrete", 0, "erc"}, "size_mean", "0.05") *= 1.01;
  CHECK(write_figures(results).there == Words{"figure1", "sizes", "adaptivity"});
  after = files_below(folder / "mine/figures");
  CHECK_FALSE((after.at("sizes.svg") == before.at("sizes.svg")));
  CHECK((after.at("figure1.svg") == before.at("figure1.svg")));
}

TEST_CASE("a picture has its name only when it is whole, also if gnuplot is killed") {
  const TemporaryFolder folder;
  Results results = write_sample(folder / "mine");
  CHECK(write_figures(results).there.size() == 3);
  for (Measurement& m : results.cells.at({"concrete", 0, "erc"}).values) m.value *= 1.01;
  const fs::path svg = folder / "mine/figures/sizes.svg";
  {
    const Tools half(half_picture + "kill -9 $$");
    const Figures made = write_figures(results);
    CHECK(made.there == Words{"figure1"});  // of the others the data changed
    REQUIRE(made.problems.size() == 2);
    CHECK(has(made.problems[0], "code 137"));
    CHECK_FALSE(fs::exists(svg));  // what it showed is no longer so
    for (const auto& [name, file] : files_below(folder / "mine/figures"))
      CHECK_MESSAGE(file.first != "<svg\n", name);
  }
  must_run({"figures", folder / "mine"});
  CHECK(has(read_file(svg), "</svg>"));
}

TEST_CASE("figure 1 without truth, without a cell, with infinite intervals alone") {
  const TemporaryFolder folder;
  const Results results = write_sample(folder / "mine");
  const std::string head = "row,x,y,f,half_width,truth,sigma\n",
                    untold = head + "2,0,1,1,0.4,,\n5,10,2,1,0.5,,\n",
                    infinite = head + "1,0,1,1,inf,1,1\n2,10,2,1,inf,1,1\n";
  for (const std::string& method : results.experiment.methods)
    for (const auto& [dataset, intervals] : {std::pair("cos", untold), {"linear", infinite}})
      store_sample(folder / "mine", results.experiment,
                   {{.cell = results.cells.at({dataset, 0, method}), .intervals = intervals}});
  put_rows(folder / "mine", {"cos", 0, "erc"}, "");
  for (const char* command : {"figures", "report"})
    check_lacks(must_run({command, folder / "mine", "--quiet"}).messages, "gnuplot");
  check_has(read_file(folder / "mine/figures/names.gp"),
            {"panels = \"cos linear\"", "banded = \"linear\"", "panel_methods_2 = \"\"\n",
             "panel_methods_1 = \"erc_error_fit linear exp sigma fixed mixture\"\n"});
  CHECK(has(read_file(folder / "mine/README.md"), "](figures/figure1.svg)"));
}

TEST_CASE("the text of a report needs no picture") {
  for (const std::string script : {"", "echo 'line 3: no such thing' >&2; exit 1"}) {
    const TemporaryFolder folder;
    write_sample(folder / "mine");
    const Tools tools(script);
    check_ran(lacp_program({"report", folder / "mine"}), 0,
              script.empty() ? "gnuplot is not installed" : "gnuplot ended with code 1 (line 3: no");
    const std::string page = read_file(folder / "mine/README.md");
    check_has(page, {"## Table", "## What it shows"});
    check_lacks(page, ".svg");
    CHECK(fs::exists(folder / "mine/index.html"));
    check_ran(lacp_program({"figures", folder / "mine"}), 1);  // what was asked for
  }
}
