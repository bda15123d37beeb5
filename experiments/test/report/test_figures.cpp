// When a figure is drawn, when it is left as it is, and how it looks.
#include <cmath>

#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "near.hpp"
#include "report/analysis/choice.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

/// All files below a folder with their bytes, and when each was written.
std::map<std::string, std::pair<std::string, fs::file_time_type>> files(const fs::path& folder) {
  std::map<std::string, std::pair<std::string, fs::file_time_type>> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      found[fs::relative(entry.path(), folder).string()] = {read_file(entry.path()), entry.last_write_time()};
  return found;
}

/// A svg as another version of gnuplot has it.
void draw_elsewhere(const fs::path& svg) {
  std::string text = read_file(svg);
  const std::size_t digit = text.find('.', text.find("translate(")) + 1;
  text[digit] = text[digit] == '1' ? '2' : '1';
  write_file(svg, text);
}

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
    for (const char* name : {"env", "sleep"}) fs::create_symlink(fs::path("/usr/bin") / name, folder_ / name);
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

TEST_CASE("figures are drawn as svg and pdf, points without white discs, the same bytes each time") {
  const Results results = write_sample("sample_figures");
  CHECK(write_figures(results).there == std::vector<std::string>{"figure1", "sizes", "adaptivity"});
  for (const std::string name : {"figure1", "sizes", "adaptivity"}) {
    INFO(name);
    const std::string svg = read_file("sample_figures/figures/" + name + ".svg");
    CHECK(has(svg, "</svg>"));
    CHECK(read_file("sample_figures/figures/" + name + ".pdf").starts_with("%PDF"));
    std::size_t markers = 0;  // on what was drawn before, without white discs
    for (const std::string& line : split_text(svg, '\n'))
      if (has(line, "<use xlink") && has(line, "translate")) {
        ++markers;
        check_lacks(line, {"color='white'", "color='#FFFFFF'"});
      }
    if (name == "adaptivity") CHECK(markers == 4 * 5 * 10 + 5);  // data sets, methods, deciles, and the key
  }
  const fs::path svg = "sample_figures/figures/sizes.svg", pdf = "sample_figures/figures/sizes.pdf";
  const std::string first = read_file(svg), first_pdf = read_file(pdf);
  CHECK(has(first, "concrete"));
  fs::remove(svg), fs::remove(pdf);  // else they would stay as they are
  write_figures(results);
  CHECK((read_file(svg) == first));
  if (has(first_pdf, "/CreationDate"))  // else cairo has compressed the time into it
    CHECK((read_file(pdf) == first_pdf));
}

TEST_CASE(
    "a single panel, of a single run, is drawn without warnings, and its label leaves the ticks alone") {
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

TEST_CASE(
    "wild methods do not squeeze the axis of the sizes; what is cut off is told in numbers that do not overlap") {
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
  must_run({"figures", (folder / "mine").string()});
  for (const char* name : {"sizes", "figure1", "adaptivity"})
    draw_elsewhere(folder / fmt::format("mine/figures/{}.svg", name));
  fs::remove(folder / "mine/figures/adaptivity.pdf");  // not tracked, so not in a clone
  const auto before = files(folder / "mine/figures");
  must_run({"figures", (folder / "mine").string()});
  auto after = files(folder / "mine/figures");
  CHECK(after.erase("adaptivity.pdf") == 1);
  for (const auto& [name, file] : before) {
    if (name.ends_with(".svg") || name.ends_with(".pdf")) CHECK_MESSAGE(after.at(name) == file, name);
    CHECK_MESSAGE(after.at(name).first == file.first, name);
  }
  CHECK(after.size() == before.size());

  // One number of the data of sizes.svg alone.
  value_of(results, {"concrete", 0, "erc"}, "size_mean", "0.05") *= 1.01;
  CHECK(write_figures(results).there == std::vector<std::string>{"figure1", "sizes", "adaptivity"});
  after = files(folder / "mine/figures");
  CHECK_FALSE((after.at("sizes.svg") == before.at("sizes.svg")));
  CHECK_FALSE((after.at("sizes.pdf") == before.at("sizes.pdf")));
  CHECK((after.at("figure1.svg") == before.at("figure1.svg")));
}

TEST_CASE("a picture has its name only when it is whole, also if gnuplot or the program is killed") {
  const TemporaryFolder folder;
  Results results = write_sample(folder / "mine");
  CHECK(write_figures(results).there.size() == 3);
  for (Measurement& m : results.cells.at({"concrete", 0, "erc"}).values) m.value *= 1.01;
  const fs::path svg = folder / "mine/figures/sizes.svg";
  {
    const Tools half(half_picture + "kill -9 $$");
    half.use();
    const Figures made = write_figures(results);
    CHECK(made.there == std::vector<std::string>{"figure1"});  // of the others the data changed
    REQUIRE(made.problems.size() == 2);
    CHECK(has(made.problems[0], "code 137"));
    CHECK_FALSE(fs::exists(svg));  // what it showed is no longer so
    for (const auto& [name, file] : files(folder / "mine/figures"))
      CHECK_MESSAGE(file.first != "<svg\n", name);
  }
  must_run({"figures", (folder / "mine").string()});
  const std::string old = read_file(svg) + "<!-- of other data -->\n";
  write_file(svg, old);
  const Tools slow(half_picture + "echo >../started; exec sleep 1000");
  slow.use();
  const pid_t child = start_program({"figures", (folder / "mine").string()});
  while (!fs::exists(folder / "mine/started") && at_work(child)) ::usleep(10000);
  REQUIRE(fs::exists(folder / "mine/started"));
  ::kill(child, SIGKILL);
  CHECK(end_of(child) == -SIGKILL);
  CHECK((read_file(svg) == old));
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

TEST_CASE("sizes are drawn where there is one of them") {
  const Results results = write_sample(
      "sample_one_size", {}, [](Experiment& e) { make_small(e), e.levels = {Level::parse("0.1")}; });
  REQUIRE(relative_sizes(results).size() == 1);
  const Figures figures = write_figures(results);
  CHECK(figures.problems == Words());
  CHECK(std::ranges::count(figures.there, "sizes") == 1);
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
    check_has(page, {"## Table", "## What it shows"});
    check_lacks(page, ".svg");
    CHECK(fs::exists(folder / "mine/index.html"));
    check_ran(lacp_program({"figures", (folder / "mine").string()}), 1);  // what was asked for
  }
}
