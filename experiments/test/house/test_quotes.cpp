// What README.md, findings.md and the article say of results is what the results say.
#include <fmt/ranges.h>

#include <regex>

#include "lacp/base/sums.hpp"
#include "lacp_program.hpp"
#include "report/report.hpp"
#include "report/words.hpp"

using namespace lacp;

namespace {

/// What an article quotes as `q` from a folder with a csv and a page of results; or why it may not.
std::string quoted(const std::string& source, const std::string& text = "\\res{q}") {
  const TemporaryFolder folder;
  write_file(folder / "table.csv",
             "dataset,method,alpha,size,valid\n"
             "a,exp,0.05,0.25,1\na,exp,0.1,0.1255,1\nb,exp,0.05,0.5,0.9\nb,fixed_1,0.05,1.5,0.9\n");
  write_file(folder / "cells/b.csv", "seconds,checksum\n1.5,c\n,\n");
  write_file(folder / "cells/a.csv", "seconds,checksum\n3,d\n,\n");
  write_file(
      folder / "page.md",
      "| other |\n| --- |\n| x |\n\n| method | rank |\n| --- | ---: |\n| adapt | **5** |\n| exp | 4.61° |\n\n"
      "## Ranks\n\n| method | rank |\n|:--|--:|\n| **a_b** | `x` 5 %, [p](x_y.md) |\n");
  try {
    const std::string numbers =
                          article_numbers(text + "\n\\end{document}\nq: " + source + "\n", folder.path()),
                      begin = "\\csname res:q\\endcsname{";
    const std::size_t at = numbers.find(begin) + begin.size();
    return numbers.substr(at, numbers.rfind('}') - at);
  } catch (const UserError& error) {
    return error.what();
  }
}

/// The lines of an article with a digit that is neither a macro nor one of the few numbers that are no
/// results: levels, names with numbers, formulas without decimals, and layout.
Words typed_numbers(std::string article) {
  article.erase(0, article.find("\\begin{document}"));
  article.resize(std::min(article.find("\\end{document}"), article.size()));
  for (const char* allowed :
       {R"(\\(res|label|ref|cite)\{[^}]*\})", R"(\\(begin\{tabular\}|includegraphics|setlength)[^\n]*)",
        R"(\\(multicolumn|cmidrule\([lr]+\))\{[0-9-]+\})", R"(\$(\\alpha=)?0\.(05|1|32)\$)", R"(\$[^$.]*\$)",
        R"((Table|Figure)[~ ]1)", "COPA 2023", "Debian 12 or 13", "SHA-256", "BSD-3-Clause",
        R"(facebook\\_1)"})
    article = std::regex_replace(article, std::regex(allowed), "");
  Words lines = split_text(article, '\n');
  std::erase_if(lines, [](const std::string& line) { return line.find_first_of("0123456789") == line.npos; });
  return lines;
}

std::string without_breaks(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

/// The table of README.md that stands between two markers: Winkler scores and coverage at 0.1, ours from the
/// page of frontier and its table, those of scikit-learn from the runs in peers.csv.
std::string beside_sklearn() {
  const std::string page = read_file(source_folder / "results/frontier/README.md");
  const Frame peers = read_frame(source_folder / "results/frontier/peers.csv"),
              ours = read_frame(source_folder / "results/frontier/table.csv");
  std::string text =
      "| data set | Winkler: split / normalised / CQR | `forest` | coverage: the same three | `forest` |\n"
      "|---|---|---|---|---|\n";
  for (const char* dataset : {"energy", "concrete", "homes", "CASP", "facebook_1"}) {
    Words winkler, coverage;
    for (const Frame& of_method : peers.where({{"dataset", dataset}, {"alpha", "0.1"}}).by("method")) {
      const auto mean = [&](const char* column) {
        return sum_of(of_method.numbers(column)) / static_cast<double>(of_method.size());
      };
      winkler.push_back(fmt::format("{:.3f}", mean("winkler")));
      coverage.push_back(fmt::format("{:.2f}", mean("validity")));
    }
    const std::size_t row = page.find(fmt::format("\n| {} |", dataset), page.find("\nα = 0.1; `forest` has")),
                      end = page.find(" |\n", row + 1), score = page.rfind(' ', end - 1) + 1;
    text += fmt::format(
        "| {} | {} | {} | {} | {:.2f} |\n", dataset, join(winkler, " / "), page.substr(score, end - score),
        join(coverage, " / "),
        ours.find({{"dataset", dataset}, {"alpha", "0.1"}, {"method", "forest"}})->number("validity_mean"));
  }
  return text;
}

}  // namespace

TEST_CASE("a quote is a cell, or made of several, of a csv or of a table on a page, or its rows") {
  for (const auto& [source, text] :
       {std::pair("table.csv | method=fixed_1 | {method}: {size:.3f} %", "fixed\\_1: 1.500 \\%"),
        {"table.csv | dataset=a | {size}", "0.25 / 0.1255"},
        {"table.csv | method=exp; dataset!=b | {min size:.2f} to {max size:.2f}", "0.13 to 0.25"},
        {"table.csv | method=exp; by alpha | {mean size:.4f}", "0.3750 / 0.1255"},
        {"table.csv | dataset=a or b; alpha=0.05 | {distinct method}, {sum valid:.1f}", "2, 2.8"},
        {"table.csv | alpha=0.1 | {size:less.1f}", "87.5"},
        {"table.csv | alpha=0.05; by dataset | {dataset}: {within1 size} of {count size}",
         "a: 1 of 1 / b: 1 of 2"},
        {"cells/*.csv | seconds!= | {sum seconds:.1f} s of {distinct checksum} cells", "4.5 s of 2 cells"},
        {"page.md | method=exp | {rank:.1f}", "4.6"},
        {"page.md | adapt [|] [*]+([0-9]+)", "5"},
        {"page.md | under ## Ranks | rows {method} {rank}",
         "a\\_b & \\texttt{x} 5 \\%, \\texttt{x\\_y.md} \\\\\n"}})
    CHECK(quoted(source) == text);
}

TEST_CASE("a quote without a source is refused, and so is a source without a quote") {
  for (const char* source :
       {"table.csv | method=erc | {size}", "page.md | method=exp | {size}",
        "absent.csv | method=exp | {size}", "absent/*.csv | method=exp | {size}",
        "table.csv | method | {size}", "table.csv | method=exp; by alpha | {size}", "page.md | nothing (.)",
        "0.25", "page.md | under other | {rank}", "table.csv | ("})
    CHECK(quoted(source).starts_with("q: "));
  CHECK(quoted("table.csv | dataset=a | {size}", "\\res{r}") ==
        "q: is quoted nowhere; r: the lines behind \\end{document} do not say what it is");
}

TEST_CASE("no result is typed in the article") {
  const std::string begin = "\\begin{document}\n", end = "\\end{document} 1";
  CHECK(typed_numbers("1 " + begin + "At $\\alpha=0.05$ it is \\res{q05} by Table~1, with $g^2$.\n" + end)
            .empty());
  for (const char* typed : {"0.5", "7 of 9", "$0.5$", "$\\alpha=0.2$", "12"})
    CHECK(typed_numbers(begin + "It is " + typed + ".\n" + end).size() == 1);
  const std::string article = read_file(source_folder / "experiments/article/article.tex");
  for (const std::string& line : typed_numbers(article)) FAIL_CHECK(line);
  CHECK(std::ranges::count(article_numbers(article, source_folder), '\n') > 50);
}

TEST_CASE("the article cites every method and data set of its experiments, and no reference is idle") {
  const std::string article = read_file(source_folder / "experiments/article/article.tex"),
                    bib = read_file(source_folder / "experiments/article/article.bib");
  const ArticleDatasets datasets = article_datasets(article, source_folder);
  std::set<std::string> methods, names;
  for (const char* experiment : {"paper", "release", "full", "frontier", "uacqr", "foundation"}) {
    const Frame table = read_frame(source_folder / "results" / experiment / "table.csv");
    for (const std::string& method : table.distinct("method")) methods.insert(tex_escape(method));
    for (const std::string& name : table.distinct("dataset")) names.insert(tex_escape(name));
  }
  for (const std::string& name : names) CHECK_MESSAGE(has(datasets.rows, "\\texttt{" + name + "} & "), name);
  CHECK(has(datasets.references, "@misc{data:concrete, note = {Yeh (1998), Concrete"));
  for (const std::string& method : methods)  // a row of the table of methods
    CHECK_MESSAGE(std::ranges::any_of(split_text(article, '\n'),
                                      [&](const std::string& line) {
                                        return line.find("\\m{" + method + "}") < line.find(" & ") &&
                                               line.find(" & ") < line.rfind("\\cite{") &&
                                               has(line, "\\cite{");
                                      }),
                  method);
  static const std::regex entry(R"(@[a-z]+\{([a-z0-9]+),)");
  for (std::sregex_iterator at(bib.begin(), bib.end(), entry), last; at != last; ++at)
    CHECK_MESSAGE(std::regex_search(article, std::regex(R"(\\cite\{([a-z0-9,]*,)?)" + at->str(1) + "[,}]")),
                  at->str(1));
}

TEST_CASE("README.md has the numbers of the results, and is short") {
  const std::string page = read_file(source_folder / "README.md"), begin = "<!-- beside scikit-learn -->\n";
  const std::size_t at = page.find(begin) + begin.size();
  CHECK(page.substr(at, page.find("<!-- end -->", at) - at) == beside_sklearn());
  CHECK(std::ranges::count(page, '\n') <= 120);
  const std::string bench = read_file(source_folder / "results/bench.md");
  const auto range = [&](const std::string& work) {
    std::vector<double> ratios;
    const std::regex row("\n[|] " + work + "[^|]*[|][^|]*[|][^|]*[|][^|]*[|] ([0-9.]+) [|]");
    for (std::sregex_iterator at(bench.begin(), bench.end(), row), last; at != last; ++at)
      ratios.push_back(std::stod(at->str(1)));
    REQUIRE(ratios.size() > 1);
    const auto [least, most] = std::ranges::minmax(ratios);
    return fmt::format("{:.2f} to {:.2f} times", least, most);
  };
  CHECK(has(page, fmt::format("a training step takes PyTorch {} as long, boosted trees scikit-learn {}",
                              range("training step"), range("boosted trees"))));
}

TEST_CASE("README.md begins with the verdict, and with a command that works in a clone") {
  const std::string page = read_file(source_folder / "README.md");
  const auto verdict = [](const char* protocol) {
    const Frame verdicts = read_frame(source_folder / "results/verdict" / protocol / "verdicts.csv");
    return *verdicts.find({{"group", "all"}});
  };
  const std::string results = read_file(source_folder / "results/README.md");
  const auto told = [&](const std::string& protocol, const std::string& form) {
    std::smatch found;
    REQUIRE_MESSAGE(std::regex_search(results, found,
                                      std::regex("\\(verdict/" + protocol + "/README.md\\)[^\n]*" + form)),
                    form);
    return found[1].str();
  };
  const Row code = verdict("release"), text = verdict("paper");
  const std::string runs =
      read_frame(source_folder / "results/verdict/release/table.csv").rows[0]["runs_wanted"];
  const std::string said = fmt::format(
      "**Our implementation of the released code reproduces Table 1: {} of {} numbers lie within 2 standard errors over {} runs, where {:.0f} are expected if nothing differs; the text of the paper: {}.** {} of the {} agree only because single runs exploded, which leaves {}; by medians over runs {} of {} sizes agree, by the text {}.",
      code["within_2_standard_errors"], code["numbers"], runs,
      code.number("share_expected_by_chance") * code.number("numbers"), text["within_2_standard_errors"],
      told("release", " ([0-9]+) of the sizes that agree by means"), code["within_2_standard_errors"],
      told("release", "Counted as misses they leave ([0-9]+) of"),
      told("release", "By medians over runs ([0-9]+) of"),
      told("release", "By medians over runs [0-9]+ of ([0-9]+) sizes"),
      told("paper", "By medians over runs ([0-9]+) of"));
  CHECK_MESSAGE(has(without_breaks(page.substr(0, page.find("## "))), said), said);
  CHECK(page.substr(page.find("```sh\n") + 6).starts_with("make && build/lacp demo "));
  check_has(results, {"**The released code (`release`) reproduces Table 1.**",
                      "The released Python itself was not run here."});
}

TEST_CASE("findings.md, paper.yaml and the letter say what the article quotes") {
  const std::string numbers = article_numbers(read_file(source_folder / "experiments/article/article.tex"),
                                              source_folder),
                    findings = without_breaks(read_file(source_folder / "experiments/findings.md")),
                    paper = without_breaks(read_file(source_folder / "experiments/paper.yaml")),
                    letter = without_breaks(read_file(source_folder / "experiments/article/letter.md"));
  const auto value = [&](const std::string& name) {
    const std::string begin = "res:" + name + "\\endcsname{";
    const std::size_t at = numbers.find(begin);
    REQUIRE_MESSAGE(at != std::string::npos, name);
    return std::regex_replace(numbers.substr(at + begin.size(), numbers.find("}\n", at) - at - begin.size()),
                              std::regex(R"(\\%)"), "%");
  };
  for (const char* name :
       {"efpaper",   "efgamma",  "eforigin",  "effree",    "textmany", "errorfit", "facebook",
        "textrank",  "coderank", "tablerank", "fbtext",    "fbcode",   "fbtable",  "fulldone",
        "yfixed",    "yexp",     "points05",  "pointsall", "ranks",    "peers",    "uacqr",
        "uacqrbike", "wilcoxon", "cvpaper",   "cvgamma"})
    CHECK_MESSAGE(has(findings, value(name)), name);
  CHECK(has(paper, "are " + value("pointsall") + " smaller"));
  const auto of_energy = [&](const char* name) { return split_text(value(name), '/').at(0); };
  const auto of_concrete = [&](const char* name) { return split_text(value(name), '/').at(1); };
  const Words words = {"over " + value("manyruns") + " runs " + value("codemany") + " numbers",
                       "where " + value("codemanychance") + " would",
                       "agrees in " + value("textmany") + "; by medians in " + value("textmedians") + " of " +
                           value("sizes") + " sizes.",
                       "But " + value("codediverged") + " of 1,500 tasks",
                       value("sigmadiverged") + " of them `sigma` on facebook_1",
                       value("codeexploded") + " of the 162",
                       "which leaves " + value("codeleft"),
                       "By medians " + value("codemedians") + " of " + value("sizes") + " sizes agree",
                       "(" + value("errorfit") + " of its numbers",
                       "facebook_1 (" + value("facebook") + ")",
                       "γ is " + value("gamma") + ": with γ = " + value("calm"),
                       "from " + of_energy("efpaper") + "to " + of_energy("efgamma") + "on energy",
                       "and from" + of_concrete("efpaper") + " to" + of_concrete("efgamma") + " on concrete",
                       "as if " + value("scored") + " of " + value("pool") + " test points"};
  for (const std::string& part : words) CHECK_MESSAGE(has(letter, part), part);
  CHECK(value("codemanydiffer") == "0");
  CHECK(value("codemany") + value("codeall") == "162 of 1801500");
  CHECK(value("explodednames") == "linear on concrete; exp on CASP; linear on facebook\\_1");  // three rows
  CHECK(value("hold") + value("except") + value("undecided") == "232");  // two, three and two
  const std::string page = read_file(source_folder / "results/README.md");
  check_has(page, {"Mean coverage 0.955 / 0.904 / 0.684", "smaller in 106, larger in 8, ", "of 135 "});
}

TEST_CASE("the pages and tables in results/ are those that `lacp report` writes") {
  const Words git = {"env", "-u", "GIT_DIR", "git", "-C", source_folder, "ls-files"};
  const Ran tracked = program(joined(git, {"results", "experiments/reference"}));
  if (tracked.status != 0) {
    MESSAGE("skipped: git does not say which files are the project's");
    return;
  }
  const TemporaryFolder root;
  std::vector<fs::path> made;
  for (const std::string& name : split_text(tracked.output, '\n')) {
    if (name.empty()) continue;
    fs::create_directories((root / name).parent_path());
    fs::copy_file(source_folder / name, root / name);
    if (name.ends_with(".svg")) {  // beside a pdf of the same data, as no clone has it, it is not drawn again
      const std::string svg = read_file(root / name);
      const std::size_t mark = svg.rfind("drawn by");
      REQUIRE_MESSAGE(mark != std::string::npos, name, ": does not say what it was drawn from");
      write_file((root / name).replace_extension(".pdf"), "% " + svg.substr(mark, 83) + "\n");
    }
    if (name.ends_with(".md") || name.ends_with(".html") || name.ends_with(".csv") || name.ends_with(".tex"))
      made.push_back(name);
  }
  check_ran(shell("cd \"$1\" && \"$0\" report results --quiet", {root.path()}), 0);
  CHECK(made.size() > 100);
  for (const fs::path& name : made)
    CHECK_MESSAGE((read_file(root.path() / name) == read_file(source_folder / name)), name.string(),
                  ": is not what `lacp report results` writes");
}

TEST_CASE("the figure of drift shows the rows beside it") {
  const fs::path folder = source_folder / "results/drift";
  const std::string mark = "drawn by drift.py from " + sha256(read_file(folder / "over_time.csv")) + " -->\n";
  CHECK(read_file(folder / "figures/drift.svg").ends_with(mark));
}
