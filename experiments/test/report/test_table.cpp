// Table 1 of an experiment, and the files of its comparison with the published one.
#include "report/tables.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

/// Compiles these lines of a document, where tables stand, until columns have settled. Checks that each
/// heading of a block has its two lines and all its rows on its page. Returns the number of blocks.
std::size_t check_blocks(const std::string& folder, const std::string& name, const Words& labels,
                         const std::string& tables, const std::string& geometry = "[a4paper,margin=18mm]") {
  if (shell("pdflatex --version && pdftotext -v").status != 0)
    FAIL("pdflatex or pdftotext is not installed (Debian: texlive-latex-recommended poppler-utils)");
  const std::string file = folder + "/" + name + "_standalone";
  write_file(file + ".tex",
             "\\documentclass[10pt]{article}\n" +
                 (geometry.empty() ? "" : "\\usepackage" + geometry + "{geometry}\n") +
                 "\\usepackage{booktabs,longtable}\n\\begin{document}\n\\thispagestyle{empty}\n" + tables +
                 "\n\\end{document}\n");
  const Ran made = shell(
      "cd $1 && for time in 1 2 3; do pdflatex -interaction=nonstopmode -halt-on-error $2.tex || exit; done >&2 "
      "&& pdftotext -layout $2.pdf -",
      {folder, name + "_standalone"});
  REQUIRE(made.status == 0);
  CHECK_FALSE(has(read_file(file + ".log"), "Overfull"));
  std::size_t blocks = 0;
  for (const std::string& page : split_text(made.output, '\f')) {
    Words lines;
    for (const std::string& line : split_text(page, '\n'))
      if (!trim(line).empty()) lines.push_back(std::string(trim(line)));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find("α = 0.05") == std::string::npos) continue;
      ++blocks;
      INFO(lines[i]);
      REQUIRE(i + 1 + labels.size() < lines.size());
      for (std::size_t k = 0; k < labels.size(); ++k) CHECK(lines[i + 2 + k].starts_with(labels[k] + " "));
    }
  }
  return blocks;
}

const Entry& entry(const std::vector<Entry>& entries, std::string_view dataset, std::string_view method) {
  return *find_entry(entries, dataset, method, Level::parse("0.05"));
}

}  // namespace

TEST_CASE("a table keeps every bit of a number, writes ten digits of it, and reads what it wrote") {
  Frame table({"name", "value"}, "made.csv");
  table.add({"a,\"b\"", 1.0 / 3.0});
  table.add({"c", std::nan("")});
  table.add({"#d", std::size_t{12}});
  CHECK(table.number(0, "value") == 1.0 / 3.0);
  CHECK(to_text(table) == "name,value\n\"a,\"\"b\"\"\",0.3333333333\nc,\n\"#d\",12\n");
  const Frame again = parse_frame(to_text(table), "made.csv");
  CHECK(to_text(again) == to_text(table));
  CHECK(std::isnan(again.number(1, "value")));
  CHECK(again.count(2, "value") == 12);
  CHECK_REFUSED(again.count(0, "value"),
                "made.csv: row 1, column 'value': expected a count, found '0.3333333333'");
  CHECK_REFUSED(again.number(0, "size"), "made.csv: has no column 'size'");
  CHECK_REFUSED(parse_frame("a,b\n1\n", "x.csv"), "x.csv: row 1 has 1 field; the header has 2");
  CHECK_REFUSED(table.append(parse_frame("name,size\na,1\n", "x.csv")), "x.csv: its columns are name, size");
}

TEST_CASE("what lacks runs or has infinite intervals is marked, never the best, and fits LaTeX's pages") {
  const Results results = write_sample("sample_table", {.incomplete = true, .infinite = true});
  const std::vector<Entry> entries = table_entries(results);
  const Entry& fewer = entry(entries, "concrete", "erc");
  CHECK(fewer.runs == 3);
  CHECK_FALSE(fewer.is_complete());
  CHECK_FALSE(fewer.best);
  check_has(table_tex(results, entries), {"^{\\dagger 3}", "mean of only $k$ of the 5 runs"});
  CHECK(has(table_markdown(results, entries), "†3"));
  const Entry& infinite = entry(entries, "energy_y1", "linear");
  CHECK(std::isinf(infinite.size.moments.mean));
  CHECK(infinite.infinite == near(0.004, 1e-12));
  CHECK_FALSE(infinite.best);
  write_table(results, entries);
  CHECK(check_blocks("sample_table", "table", {}, "\\input{table}", "") == 4);  // 150 pt narrower
}

TEST_CASE("no table marks a method as best whose validity clearly misses") {
  const Results results = write_sample("sample_table", {}, make_small);
  const auto best_with = [&](double missed) {
    Results changed = results;
    for (auto& [task, cell] : changed.cells)
      for (Measurement& m : cell.values) {
        if (m.metric == "size_mean") m.value = task.method == "exp" ? 0.25 : 0.5;
        if (m.metric == "validity")
          m.value = 1.0 - Level::parse(m.alpha).value() - (task.method == "exp" ? missed : 0.0);
      }
    const std::vector<Entry> entries = table_entries(changed);
    CHECK(entry(entries, "concrete", "exp").best != entry(entries, "concrete", "fixed").best);
    return entry(entries, "concrete", "exp").best ? "exp" : "fixed";
  };
  CHECK(best_with(0.02) == std::string("exp"));
  CHECK(best_with(0.04) == std::string("fixed"));
}

TEST_CASE("no page of table.tex or comparison.tex ends inside a block, whatever the length of the caption") {
  const Words labels = {"erc (error fit)", "erc", "linear", "exp", "sigma", "fixed", "mixture"};
  Results results = write_sample("sample_table", {}, [](Experiment& e) {
    e.runs = 1;
    for (const char* dataset : {"homes", "CASP", "facebook_1", "squared", "inverse"})
      e.datasets.push_back(dataset);
  });
  std::string tables;
  for (int caption = 1; caption < 10; ++caption) {  // lines: the page break wanders over a block
    write_table(results, table_entries(results));
    write_file(fmt::format("sample_table/table_{}.tex", caption), read_file("sample_table/table.tex"));
    tables += fmt::format("\\input{{table_{}}}\\clearpage\n", caption);
    results.experiment.title +=
        ". A line of the caption that is as long as the page is wide, so that the table begins one line further down";
  }
  CHECK(check_blocks("sample_table", "table", labels, tables) == 9 * 9);
  results = write_sample("sample_comparison", {}, [](Experiment& e) { e.reference.runs = "runs.csv"; });
  write_file("sample_comparison/runs.csv", runs_csv(results));
  write_comparison(results, compare(table_entries(results), load_references(results).value(),
                                    results.experiment.reference.names));
  CHECK(check_blocks("sample_comparison", "comparison", {labels.begin(), labels.end() - 1},
                     "\\input{comparison}") == 4);
}

TEST_CASE("a pool that the test points do not fill is named, and a validity that measures nothing") {
  const auto written = [](std::size_t pool, std::size_t scored, EvaluationMode mode) {
    const Results results = write_sample("sample_table", {}, [&](Experiment& e) {
      e.evaluation = {.mode = mode, .pool = pool, .scored = scored, .quantile = QuantileRule::ceiling};
    });
    const std::vector<Entry> entries = table_entries(results);
    Ran table = must_run({"table", "sample_table"});
    std::ranges::replace(table.output, '\n', ' ');  // its lines fit a terminal
    return std::vector{table.output, table_tex(results, entries), table_markdown(results, entries)};
  };
  // 60 test points of concrete, 200 of the others
  for (const std::string& text : written(96, 80, EvaluationMode::leave_one_out))
    check_has(text, {"Fewer points than asked for: concrete (60).",
                     "Validity is a constant, and measures nothing, on concrete (60)"});
  for (const std::string& text : written(96, 0, EvaluationMode::halves)) {
    check_has(text, "Fewer points than asked for: concrete (");
    check_lacks(text, "constant");
  }
}
