// When a figure is drawn, and when it is left as it is.
#include <doctest/doctest.h>

#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "report/figures.hpp"
#include "sample_results.hpp"
#include "store/store.hpp"

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

TEST_CASE("a figure stays as it is, wherever it was drawn, until its data or its script changes") {
  const TemporaryFolder folder;
  Results results = write_sample(folder / "mine");
  REQUIRE(lacp_program({"figures", (folder / "mine").string()}).status == 0);
  draw_elsewhere(folder / "mine/figures/sizes.svg");
  draw_elsewhere(folder / "mine/figures/figure1.svg");
  fs::remove(folder / "mine/figures/adaptivity.pdf");  // not tracked, so not in a clone
  draw_elsewhere(folder / "mine/figures/adaptivity.svg");
  const auto before = files(folder / "mine/figures");
  REQUIRE(lacp_program({"figures", (folder / "mine").string()}).status == 0);
  auto after = files(folder / "mine/figures");
  CHECK(after.erase("adaptivity.pdf") == 1);
  for (const auto& [name, file] : before) {
    if (name.ends_with(".svg") || name.ends_with(".pdf")) CHECK_MESSAGE(after.at(name) == file, name);
    CHECK_MESSAGE(after.at(name).first == file.first, name);
  }
  CHECK(after.size() == before.size());

  // One number of the data of sizes.svg alone.
  for (Measurement& m : results.cells.at({"concrete", 0, "erc"}).values)
    if (m.metric == "size_mean" && m.alpha == "0.05") m.value *= 1.01;
  CHECK(write_figures(results).there == std::vector<std::string>{"figure1", "sizes", "adaptivity"});
  after = files(folder / "mine/figures");
  CHECK_FALSE((after.at("sizes.svg") == before.at("sizes.svg")));
  CHECK_FALSE((after.at("sizes.pdf") == before.at("sizes.pdf")));
  CHECK((after.at("figure1.svg") == before.at("figure1.svg")));
}

TEST_CASE("a picture of data that the experiment does not have any more is gone") {
  const TemporaryFolder folder;
  Results results = write_sample(folder / "mine");
  CHECK(write_figures(results).there.size() == 3);
  results.experiment.keep_intervals.datasets.clear();
  CHECK(write_figures(results).there == std::vector<std::string>{"sizes", "adaptivity"});
  for (const char* name : {"figure1.svg", "figure1.pdf", "figure1.gp"})
    CHECK_FALSE(fs::exists(folder / "mine/figures" / name));
}

TEST_CASE("a picture has its name only when it is whole, also if gnuplot or the program is killed") {
  const TemporaryFolder folder;
  Results results = write_sample(folder / "mine");
  CHECK(write_figures(results).there.size() == 3);
  for (Measurement& m : results.cells.at({"concrete", 0, "erc"}).values) m.value *= 1.01;
  const fs::path svg = folder / "mine/figures/sizes.svg";
  const std::string before = read_file(svg);
  const Tools half(half_picture + "kill -9 $$");
  half.use();
  const Figures made = write_figures(results);
  CHECK(made.there == std::vector<std::string>{"figure1"});  // of the others the data changed
  REQUIRE(made.problems.size() == 2);
  CHECK(has(made.problems[0], "sizes cannot be drawn: gnuplot ended with code 137"));
  CHECK_FALSE(fs::exists(svg));  // what it showed is no longer so
  for (const auto& [name, file] : files(folder / "mine/figures"))
    CHECK_MESSAGE((!has(name, ".tmp") && file.first != "<svg\n"), name);
}

TEST_CASE("the program that is killed while gnuplot draws leaves the old picture whole") {
  const TemporaryFolder folder;
  write_sample(folder / "mine");
  REQUIRE(lacp_program({"figures", (folder / "mine").string()}).status == 0);
  const fs::path svg = folder / "mine/figures/sizes.svg";
  const std::string old = read_file(svg) + "<!-- of other data -->\n";
  write_file(svg, old);
  const Tools slow(half_picture + "echo >../started; sleep 5");
  slow.use();
  const pid_t child = start_program({"figures", (folder / "mine").string()});
  while (!fs::exists(folder / "mine/started") && ::waitpid(child, nullptr, WNOHANG) == 0) ::usleep(10000);
  REQUIRE(fs::exists(folder / "mine/started"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK((read_file(svg) == old));
}

TEST_CASE("a method without a cell, or with infinite intervals alone, is left out of figure 1") {
  const TemporaryFolder folder;
  const Results results = write_sample(folder / "mine");
  put_rows(folder / "mine", {"cos", 0, "erc"}, "");
  const std::string infinite = "row,x,y,f,half_width,truth,sigma\n1,0,1,1,inf,1,1\n2,10,2,1,inf,1,1\n";
  for (const std::string& method : results.experiment.methods)
    store_sample(folder / "mine", results.experiment,
                 {{.cell = results.cells.at({"linear", 0, method}), .intervals = infinite}});
  for (const char* command : {"figures", "report"}) {
    const Ran made = lacp_program({command, (folder / "mine").string(), "--quiet"});
    CHECK_MESSAGE(made.status == 0, made.messages);
    CHECK_MESSAGE(!has(made.messages, "gnuplot"), made.messages);
  }
  const std::string names = read_file(folder / "mine/figures/names.gp");
  CHECK_MESSAGE(has(names, "panel_methods_1 = \"erc_error_fit linear exp sigma fixed mixture\"\n"), names);
  CHECK_MESSAGE(has(names, "panel_methods_2 = \"\"\n"), names);
  CHECK(has(read_file(folder / "mine/README.md"), "](figures/figure1.svg)"));
}

TEST_CASE("the text of a report needs no picture") {
  for (const std::string script : {"", "echo 'line 3: no such thing' >&2; exit 1"}) {
    const TemporaryFolder folder;
    write_sample(folder / "mine");
    const Tools tools(script);
    tools.use();
    const Ran report = lacp_program({"report", (folder / "mine").string()});
    CHECK_MESSAGE(report.status == 0, report.messages);
    CHECK_MESSAGE(has(report.messages,
                      script.empty() ? "gnuplot is not installed"
                                     : "figure1 cannot be drawn: gnuplot ended with code 1 (line 3: no"),
                  report.messages);
    const std::string page = read_file(folder / "mine/README.md");
    CHECK(has(page, "## Table"));
    CHECK(has(page, "## What it shows"));
    CHECK_FALSE(has(page, ".svg"));
    CHECK(fs::exists(folder / "mine/index.html"));
    const Ran figures = lacp_program({"figures", (folder / "mine").string()});
    CHECK(figures.status == 1);  // here they are what was asked for
  }
}
