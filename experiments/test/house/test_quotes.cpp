// What README.md, findings.md, tutorial.md and the article quote is what the results say. LACP_FILL_QUOTES=1
// writes it there; the article reads it.
#include <fmt/ranges.h>

#include <regex>
#include <set>

#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "report/report.hpp"

namespace lacp::quotes {

struct Checked {
  std::string filled;                 ///< the page with every quote as the files have it
  std::vector<std::string> problems;  ///< quotes that differ, and numbers that are none, by line
  std::size_t quotes = 0;
};

/// Numbers that only results can have: decimals, shares, records, percentages. Not those of settings (α =
/// 0.05), and none in code, addresses or versions.
std::vector<std::string> loose_numbers(std::string text) {
  for (const char* other : {R"(`[^`]*`)", R"(\]\([^)]*\))", R"([αθγ] = [\d.]+(( / |, | and )[\d.]+)*)"})
    text = std::regex_replace(text, std::regex(other), " ");
  static const std::regex number(R"(\d*\.\d+|\d+ of( its)? \d+|\d+–\d+–\d+|\d+ %)");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at)
    found.push_back(at->str());
  return found;
}

Checked check(const std::string& page, const fs::path& top) {
  constexpr std::string_view behind = "<!--/-->";
  Checked checked;
  const std::size_t end = end_of(page);
  const Values values = values_of(page.substr(end), top, checked.problems);
  std::set<std::string> seen;
  std::string rest;  // without what is quoted
  for (std::size_t at = 0; at < end;) {
    const std::size_t open = std::min(page.find("<!--", at), end), close = page.find("-->", open);
    rest += page.substr(at, open - at), checked.filled += page.substr(at, open - at);
    at = open;
    if (open == end) continue;
    const std::string name = page.substr(open + 4, close - open - 4);
    const std::size_t last = page.find(behind, close);
    std::string said = page.substr(close + 3, last - close - 3);
    const auto found = values.find(name);
    if (last > end || found == values.end()) {
      checked.problems.push_back(
          fmt::format("{}: expected <!--/--> behind it, and what it is at the end of the page", name));
      checked.filled += page.substr(open, end - open);
      break;
    }
    if (found->second && *found->second != said) {
      checked.problems.push_back(
          fmt::format("{}: says '{}' where the results have '{}'", name, said, *found->second));
      said = *found->second;
    }
    checked.filled += fmt::format("<!--{}-->{}{}", name, said, behind);
    rest += ' ', seen.insert(name);
    at = last + behind.size();
  }
  checked.filled += page.substr(end), checked.quotes = seen.size();
  for (const auto& [name, value] : values)
    if (!seen.contains(name)) checked.problems.push_back(name + ": is quoted nowhere");
  const std::vector<std::string> lines = split_text(rest, '\n');
  bool code = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("```")) code = !code;
    for (const std::string& loose : loose_numbers(code ? "" : lines[i]))
      checked.problems.push_back(
          fmt::format("line {}: says '{}' and does not say where it comes from", i + 1, loose));
  }
  return checked;
}

}  // namespace lacp::quotes

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
             "| exp | 3–9–4 (0.5) | **4.56**° |\n| adapt | 5–9–2 (0.7) | 4.5 |\n\n"
             "α = 0.1; again:\n\n| method | rank |\n| --- | ---: |\n| exp | 7 / 8 |\n");
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
  CHECK(quoted("page.md | above=α = 0.1; method=exp | {rank#3}") == "8");
  CHECK(quoted("page.md | adapt [|] ([0-9]+)") == "5");
}

TEST_CASE("a quote without a source is refused") {
  CHECK(quoted("table.csv | method=erc | {size}") ==
        "q: table.csv has no table with these columns and such a row");
  CHECK(quoted("page.md | method=exp | {size}") ==
        "q: page.md has no table with these columns and such a row");
  CHECK(has(quoted("absent.csv | method=exp | {size}"), "absent.csv"));
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

TEST_CASE("an article in LaTeX gets its numbers from the results") {
  const TemporaryFolder folder;
  write_file(folder / "table.csv", "method,size\nexp_1,0.25\nfixed,0.5\n");
  const auto numbers = [&](const std::string& text, const std::string& end) {
    return quotes::article_numbers(text + "\n\\end{document}\n" + end, folder.path());
  };
  const std::string q = "q: table.csv | size=0.25 | {method}, {size:.1f} %\n";
  CHECK(has(numbers("\\res{q}", q), "\\csname res:q\\endcsname{exp\\_1, 0.2 \\%}\n"));
  CHECK_THROWS_WITH(numbers("\\res{r}", q),
                    "q: is quoted nowhere; r: the lines behind \\end{document} do not say what it is");
  CHECK_THROWS_WITH(numbers("\\res{q}", "q: by hand | measured\n"), "q: an article takes no number by hand");
  CHECK_THROWS_WITH(numbers("\\res{q}", "q: table.csv | method=erc | {size}\n"),
                    "q: table.csv has no table with these columns and such a row");
  CHECK_THROWS_WITH(numbers("\\res{q}", "q: table.csv | (\n"), doctest::Contains("q: "));
  Frame table({"claim", "answer", "file"});
  table.add({"`a_b` is 5 %", "**holds**", "[full](full/x_y.md); more"});
  CHECK(
      quotes::article_rows("rows", table) ==
      "\\newcommand{\\rows}{%\n\\texttt{a\\_b} is 5 \\% & \\textbf{holds} & \\texttt{full/x\\_y.md}; more \\\\\n}\n");
}

namespace {

/// The lines of an article with a digit that is neither a macro nor one of the few numbers that are no
/// results: levels, names with numbers, formulas without decimals, and layout. Its references may have any.
std::vector<std::string> typed_numbers(std::string article) {
  article.erase(0, article.find("\\begin{document}"));
  article.resize(std::min(article.find("\\begin{thebibliography}"), article.size()));
  for (const char* allowed :
       {R"(\\(res|label|ref)\{[^}]*\})", R"(\\(begin\{tabular\}|includegraphics|setlength)[^\n]*)",
        R"(\$(\\alpha=)?0\.(05|1|32)\$)", R"(\$[^$.]*\$)", R"((Table|Figure)[~ ]1)", "COPA 2023",
        "Debian 12 or 13", "SHA-256", "BSD-3-Clause", R"(facebook\\_1)"})
    article = std::regex_replace(article, std::regex(allowed), "");
  std::vector<std::string> lines = split_text(article, '\n');
  std::erase_if(lines, [](const std::string& line) { return line.find_first_of("0123456789") == line.npos; });
  return lines;
}

}  // namespace

TEST_CASE("no result is typed in the article") {
  const std::string begin = "\\begin{document}\n", end = "\\begin{thebibliography}{9} 1";
  CHECK(typed_numbers("1 " + begin + "At $\\alpha=0.05$ it is \\res{q05} by Table~1, with $g^2$.\n" + end)
            .empty());
  for (const char* typed : {"0.5", "7 of 9", "$0.5$", "$\\alpha=0.2$", "12"})
    CHECK(typed_numbers(begin + "It is " + typed + ".\n" + end).size() == 1);
  const std::string article = read_file(top / "experiments/article.tex");
  for (const std::string& line : typed_numbers(article)) FAIL_CHECK(line);
  CHECK(std::ranges::count(quotes::article_numbers(article, top), '\n') > 50);
}

TEST_CASE("README.md is short") {
  const std::string page = read_file(top / "README.md");
  CHECK(std::ranges::count(page.substr(0, quotes::end_of(page)), '\n') <= 150);
}

TEST_CASE("the comment in paper.yaml is what the ablation says") {
  const std::string points = quotes::value_of(
      "results/ablation/ablation.csv | variant=paper-all-points | are {max ratio:less.0f} to {min ratio:less.0f} % smaller",
      top);
  CHECK(has(read_file(top / "experiments/paper.yaml"), points));
}
