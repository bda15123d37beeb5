// When a figure is drawn, when it is left as it is, and how it looks.
#include <cmath>

#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "near.hpp"
#include "report/analysis/choice.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

/// The files of a folder with their bytes.
std::map<std::string, std::string> files(const fs::path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::directory_iterator(folder))
    found[entry.path().filename().string()] = read_file(entry.path());
  return found;
}

/// A svg as another version of gnuplot has it.
void draw_elsewhere(const fs::path& svg) {
  std::string text = read_file(svg);
  const std::size_t digit = text.find('.', text.find("translate(")) + 1;
  text[digit] = text[digit] == '1' ? '2' : '1';
  write_file(svg, text);
}

void set_path(const std::string& path) { REQUIRE(::setenv("PATH", path.c_str(), 1) == 0); }

/// Programs but gnuplot, which `script` stands in for; "": there is none.
class Tools {
 public:
  explicit Tools(const std::string& script) {
    fs::create_symlink("/usr/bin/env", folder_ / "env");
    if (script.empty()) return;
    write_file(folder_ / "gnuplot", "#!/bin/sh\n" + script);
    fs::permissions(folder_ / "gnuplot", fs::perms::owner_all);
  }
  ~Tools() { set_path(before_); }
  void use() const { set_path(folder_.path().string()); }

 private:
  TemporaryFolder folder_;
  std::string before_ = ::getenv("PATH");
};

}  // namespace

TEST_CASE("figures are drawn as svg and pdf, with every point, the same bytes each time") {
  const Results results = write_sample("sample_figures");
  CHECK(write_figures(results).there == std::vector<std::string>{"figure1", "sizes", "adaptivity"});
  for (const std::string name : {"figure1", "sizes", "adaptivity"}) {
    INFO(name);
    const std::string svg = read_file("sample_figures/figures/" + name + ".svg");
    CHECK(has(svg, "</svg>"));
    CHECK(read_file("sample_figures/figures/" + name + ".pdf").starts_with("%PDF"));
    std::size_t markers = 0;
    for (const std::string& line : split_text(svg, '\n'))
      if (has(line, "<use xlink") && has(line, "translate")) ++markers;
    if (name == "adaptivity") CHECK(markers == 4 * 5 * 10 + 5);  // data sets, methods, deciles, and the key
  }
  const fs::path svg = "sample_figures/figures/sizes.svg";
  const std::string first = read_file(svg);
  fs::remove(svg);  // else it would stay as it is
  write_figures(results);
  CHECK((read_file(svg) == first));
}

TEST_CASE("wild methods do not squeeze the axis of the sizes; what is cut off is told in numbers") {
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
  write_figures(results);
  const std::string svg = read_file("sample_figures/figures/sizes.svg");
  for (const Row& row : wild.where({{"method", "erc_error_fit"}}))
    CHECK(has(svg, fmt::format("<text>{:.0f}</text>", row.number("ratio"))));
}

TEST_CASE("a figure stays as it is, wherever it was drawn, until its data or its script changes") {
  const TemporaryFolder folder;
  Results results = write_sample(folder / "mine");
  must_run({"figures", (folder / "mine").string()});
  for (const char* name : {"sizes", "figure1", "adaptivity"})
    draw_elsewhere(folder / fmt::format("mine/figures/{}.svg", name));
  fs::remove(folder / "mine/figures/adaptivity.pdf");  // not tracked, so not in a clone
  const auto before = files(folder / "mine/figures");
  must_run({"figures", (folder / "mine").string()});
  auto after = files(folder / "mine/figures");
  CHECK(after.erase("adaptivity.pdf") == 1);
  CHECK((after == before));

  // One number of the data of sizes.svg alone.
  value_of(results, {"concrete", 0, "erc"}, "size_mean", "0.05") *= 1.01;
  CHECK(write_figures(results).there == std::vector<std::string>{"figure1", "sizes", "adaptivity"});
  after = files(folder / "mine/figures");
  CHECK_FALSE((after.at("sizes.svg") == before.at("sizes.svg")));
  CHECK_FALSE((after.at("sizes.pdf") == before.at("sizes.pdf")));
  CHECK((after.at("figure1.svg") == before.at("figure1.svg")));
}

TEST_CASE("a picture of other data does not stay where gnuplot fails") {
  const TemporaryFolder folder;
  Results results = write_sample(folder / "mine");
  CHECK(write_figures(results).there.size() == 3);
  for (Measurement& m : results.cells.at({"concrete", 0, "erc"}).values) m.value *= 1.01;
  const Tools killed("kill -9 $$");
  killed.use();
  const Figures made = write_figures(results);
  CHECK(made.there == std::vector<std::string>{"figure1"});  // of the others the data changed
  REQUIRE(made.problems.size() == 2);
  CHECK(has(made.problems[0], "code 137"));
  CHECK_FALSE(fs::exists(folder / "mine/figures/sizes.svg"));
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
    check_lacks(must_run({command, (folder / "mine").string(), "--quiet"}).messages, "gnuplot");
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
    tools.use();
    check_ran(lacp_program({"report", (folder / "mine").string()}), 0,
              script.empty() ? "gnuplot is not installed" : "gnuplot ended with code 1 (line 3: no");
    const std::string page = read_file(folder / "mine/README.md");
    CHECK(has(page, "## Table"));
    check_lacks(page, ".svg");
    CHECK(fs::exists(folder / "mine/index.html"));
    check_ran(lacp_program({"figures", (folder / "mine").string()}), 1);  // what was asked for
  }
}
