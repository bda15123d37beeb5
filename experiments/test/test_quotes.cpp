// What README.md, findings.md and tutorial.md quote is what the results say. LACP_FILL_QUOTES=1 writes it
// there.
#include <doctest/doctest.h>

#include <cstdlib>

#include "lacp_program.hpp"
#include "quotes.hpp"

using namespace lacp;

namespace {

const fs::path top = LACP_SOURCE_DIR;

/// The problems of a page in a folder with a csv and a page of results.
std::vector<std::string> problems_of(const std::string& page, std::string* filled = nullptr) {
  const TemporaryFolder folder;
  write_file(folder / "table.csv",
             "dataset,method,alpha,size,valid\n"
             "a,exp,0.05,0.25,1\na,exp,0.1,0.1255,1\nb,exp,0.05,0.5,0.9\nb,fixed,0.05,1.5,0.9\n");
  write_file(folder / "page.md",
             "| other |\n| --- |\n| x |\n\n| method | cqr, α = 0.1 | rank |\n| --- | --- | ---: |\n"
             "| exp | 3–9–4 (0.5) | **4.56**° |\n| adapt | 5–9–2 (0.7) | 4.5 |\n");
  const quotes::Checked checked = quotes::check(page, folder.path());
  if (filled != nullptr) *filled = checked.filled;
  return checked.problems;
}

/// The text of one quote.
std::string quoted(const std::string& source) {
  std::string filled;
  const auto problems = problems_of("<!--q-->?<!--/-->\n<!-- quotes\nq: " + source + "\n-->\n", &filled);
  const std::size_t end = filled.find("<!--/-->");
  return filled.starts_with("<!--q-->?<") ? problems.at(0) : filled.substr(8, end - 8);
}

}  // namespace

TEST_CASE("a quote is a cell, or made of several, of a csv or of a table on a page") {
  CHECK(quoted("table.csv | dataset=b; method=fixed | {size:.3f} ± {valid:.1f}") == "1.500 ± 0.9");
  CHECK(quoted("table.csv | dataset=a | {size}") == "0.25 / 0.1255");
  CHECK(quoted("table.csv | method=exp; dataset!=b | {min size:.2f} to {max size:.2f}") == "0.13 to 0.25");
  CHECK(quoted("table.csv | method=exp; by alpha | {mean size:.4f}") == "0.3750 / 0.1255");
  CHECK(quoted("table.csv | dataset=a or b; alpha=0.05 | {distinct method} methods, {sum valid:.1f}") ==
        "2 methods, 2.8");
  CHECK(quoted("table.csv | alpha=0.1 | {size:less.1f} %") == "87.5 %");
  CHECK(quoted("page.md | method=adapt | {cqr, α = 0.1#1}") == "5–9–2");
  CHECK(quoted("page.md | method=exp | {rank:.1f}") == "4.6");
  CHECK(quoted("page.md | adapt [|] ([0-9]+)") == "5");
}

TEST_CASE("a quote without a source is refused") {
  CHECK(quoted("table.csv | method=erc | {size}") ==
        "q: table.csv has no table with these columns and such a row");
  CHECK(quoted("page.md | method=exp | {size}") ==
        "q: page.md has no table with these columns and such a row");
  CHECK(quoted("absent.csv | method=exp | {size}").find("absent.csv") != std::string::npos);
  CHECK(quoted("table.csv | method | {size}") ==
        "q: found 'method'; expected key=value, key!=value or 'by key'");
  CHECK(quoted("table.csv | method=exp; by alpha | {size}") ==
        "q: 2 rows fit where one was expected: size is 0.25, 0.5");
  CHECK(quoted("page.md | nothing (.)") == "q: page.md has nothing like nothing (.)");
  CHECK(quoted("by hand | ") == "q: does not say why it is filled in by hand");
  CHECK(quoted("0.25") == "q: expected FILE | conditions | text, or: by hand | why");
}

TEST_CASE("numbers that differ, that nobody explains, and explanations of nothing are found") {
  const std::string end = "<!-- quotes\nq: page.md | method=adapt | {cqr, α = 0.1#1}\n-->\n";
  CHECK(problems_of("At α = 0.05 / 0.1 it has <!--q-->5–9–2<!--/-->, see `x 0.5` and [1](a0.5.md).\n" + end)
            .empty());
  std::string filled;
  CHECK(problems_of("It has <!--q-->5–8–2<!--/-->.\n" + end, &filled) ==
        std::vector<std::string>{"q: says '5–8–2' where the results have '5–9–2'"});
  CHECK(filled == "It has <!--q-->5–9–2<!--/-->.\n" + end);
  CHECK(problems_of("Nothing.\n" + end) == std::vector<std::string>{"q: is quoted nowhere"});
  CHECK(problems_of("<!--r-->1<!--/-->\n") ==
        std::vector<std::string>{"r: expected <!--/--> behind it, and what it is at the end of the page"});
  for (const char* loose : {"0.86", "5–9–2", "7 of 9", "12 %", ".948"})
    CHECK(problems_of(std::string("First\n\nIt is ") + loose + " here.\n") ==
          std::vector<std::string>{
              fmt::format("line 3: says '{}' and does not say where it comes from", loose)});
  CHECK(problems_of("```text\n0.5\n```\n").empty());
  CHECK(problems_of("<!--m-->0.06<!--/-->\n<!-- quotes\nm: by hand | measured once\n-->\n").empty());
}

TEST_CASE("what the pages quote is what the results say") {
  for (const auto& [name, least] : {std::pair("README.md", 1u), std::pair("experiments/findings.md", 25u),
                                    std::pair("experiments/tutorial.md", 3u)}) {
    INFO(std::string(name));
    const std::string page = read_file(top / name);
    const quotes::Checked checked = quotes::check(page, top);
    for (const std::string& problem : checked.problems) FAIL_CHECK(problem);
    CHECK(checked.quotes >= least);
    if (std::getenv("LACP_FILL_QUOTES") != nullptr && checked.filled != page)
      write_file(top / name, checked.filled);
  }
}

TEST_CASE("README.md is short") {
  const std::string page = read_file(top / "README.md");
  CHECK(std::ranges::count(page.substr(0, quotes::end_of(page)), '\n') <= 120);
}

TEST_CASE("the comment in paper.yaml is what the ablation says") {
  const quotes::Quote points = quotes::parse({"results/ablation/ablation.csv", "variant=paper-all-points",
                                              "are {max ratio:less.0f} to {min ratio:less.0f} % smaller"});
  CHECK(has(read_file(top / "experiments/paper.yaml"), quotes::value_of(points, top)));
}
