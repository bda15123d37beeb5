// Table 1 of an experiment, and the files of its comparison with the published one.
#include <regex>

#include "sample_results.hpp"

using namespace lacp;

namespace {

/// Compiles <folder>/<name>_standalone.tex, with these tables in place of its own, until columns have
/// settled. Checks that each heading of a block has its two lines and all its rows on its page. Returns the
/// number of blocks.
std::size_t check_blocks(const std::string& folder, const std::string& name, const Words& labels,
                         const std::string& tables = "") {
  if (shell("pdflatex --version && pdftotext -v").status != 0)
    FAIL("pdflatex or pdftotext is not installed (Debian: texlive-latex-recommended poppler-utils)");
  const std::string file = folder + "/" + name + "_standalone", own = "\\input{" + name + "}";
  std::string document = read_file(file + ".tex");
  if (!tables.empty()) write_file(file + ".tex", document.replace(document.find(own), own.size(), tables));
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

const Row& entry(const Frame& entries, std::string_view dataset, std::string_view method,
                 std::string_view alpha) {
  return row_of(entries, {{"dataset", dataset}, {"method", method}, {"alpha", alpha}});
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
                "made.csv: row 1, column 'value': expected a whole number from 0 on, found '0.3333333333'");
  CHECK_REFUSED(again.number(2, "name"), "made.csv: row 3, column 'name': expected a number, found '#d'");
  CHECK_REFUSED(again.number(0, "size"), "made.csv: has no column 'size'");
  CHECK_REFUSED(parse_frame("a,b\n1\n", "x.csv"), "x.csv: row 1 has 1 field; the header has 2");
  CHECK_REFUSED(table.append(parse_frame("name,size\na,1\n", "x.csv")), "x.csv: its columns are name, size");
}

TEST_CASE("rows are chosen by their texts, and a long table becomes a wide one") {
  Frame table({"dataset", "method", "size"});
  for (const char* dataset : {"b", "a"})
    for (const char* method : {"exp", "fixed"})
      if (std::string(dataset) + method != "afixed") table.add({dataset, method, table.size() + 1});
  CHECK(table.where({{"dataset", "b"}}).numbers("size") == std::vector{1.0, 2.0});
  CHECK(table.where([](const Row& row) { return row.number("size") > 1.0; }).size() == 2);
  CHECK(table.find({{"dataset", "a"}, {"method", "exp"}})->count("size") == 3);
  CHECK(table.find({{"dataset", "a"}, {"method", "fixed"}}) == nullptr);
  CHECK(table.distinct("dataset") == std::vector<std::string>{"b", "a"});
  const Frame before = table;
  table.add_column("rank", {3.0, 2.0, 1.0});
  CHECK(to_text(table.without("size").where({{"rank", "1"}})) == "dataset,method,rank\na,exp,1\n");
  CHECK(before.header().size() == 3);
  WideTable wide{.header = {"data set"}};
  for (const Row& row : table) wide.set({row["dataset"]}, row["method"], row["size"]);
  CHECK(wide.markdown() ==
        "| data set | exp | fixed |\n| --- | ---: | ---: |\n| b | 1 | 2 |\n| a | 3 | – |\n");
}

TEST_CASE("what lacks runs or has infinite intervals is marked, never the best, and fits LaTeX's pages") {
  const Results results = write_sample("sample_table", {.incomplete = true, .infinite = true});
  const Frame entries = table_entries(results);
  const Row& fewer = entry(entries, "concrete", "erc", "0.05");
  CHECK(fewer.count("runs") == 3);
  CHECK_FALSE(is_complete(fewer));
  CHECK(fewer["best"] == "0");
  check_has(table_tex(results, entries), {"^{\\dagger 3}", "mean of only $k$ of the 5 runs"});
  CHECK(has(table_markdown(results, entries), "†3"));
  const Row& infinite = entry(entries, "energy_y1", "linear", "0.05");
  CHECK(std::isinf(infinite.number("size_mean")));
  CHECK(infinite.number("infinite") == near(0.004, 1e-12));
  CHECK(infinite["best"] == "0");
  write_table(results, entries);
  CHECK(check_blocks("sample_table", "table", {}) == 4);
  const std::string file = "sample_table/table_standalone.tex";
  write_file(file,
             std::regex_replace(read_file(file), std::regex(R"(.usepackage\[a4paper.*geometry\})"), ""));
  CHECK(check_blocks("sample_table", "table", {}) == 4);  // of a plain article, which is 150 pt narrower
}

TEST_CASE("no table marks a method as best whose validity clearly misses, and each says so") {
  const Results results = write_sample("sample_table", {}, make_small);
  const auto with = [&](double validity) {
    Frame entries = table_entries(results).without("best");
    for (Row& e : entries.rows)
      e.set("size_mean", e["method"] == "exp" ? 0.25 : 0.5), e.set("size_std", 0.1),
          e.set("validity_mean", 1.0 - e.number("alpha") - (e["method"] == "exp" ? validity : 0.0));
    write_file("sample_table/table.csv", to_text(entries));
    const Frame read = read_table_csv("sample_table/table.csv");
    ReportedExperiment e = reported(results);
    e.entries = read;
    Report report;
    report.experiments = {e};
    std::string text = table_text(results, read, false);
    std::ranges::replace(text, '\n', ' ');
    return std::vector{text, table_markdown(results, read), table_tex(results, read), page_data(report, ".")};
  };
  const Words small = {"0.250±0.100*", "**0.250**", "\\mathbf{0.250}", "\"best\":[0,0,0,1,1,1]"},
              large = {"0.500±0.100*", "**0.500**", "\\mathbf{0.500}", "\"best\":[1,1,1,0,0,0]"};
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(small[i]);
    check_has(with(0.02)[i], {small[i], "all their runs and a mean validity of at least "});
    check_lacks(with(0.02)[i], large[i]);
    check_has(with(0.04)[i], large[i]);
    check_lacks(with(0.04)[i], small[i]);
  }
  check_has(with(0.04)[0], {"without a mark", "exp on concrete at α = 0.1"});
}

TEST_CASE("a table explains names with two meanings, and a method that is another where points are few") {
  Results results = write_sample("sample_table", {}, [](Experiment& e) {
    e.datasets = {"energy_with_y1", "linear"}, e.methods = {"linear", "mondrian", "fixed"};
    e.keep_intervals.datasets.clear(), e.reference = {};
  });
  const auto notes = [&] { return join(table_notes(results), "\n"); };
  check_has(notes(),
            {"energy_with_y1 is what Table 1 calls energy", "a data set linear, and a method linear"});
  check_lacks(notes(), "mondrian");
  for (std::size_t run = 0; run < 5; ++run)
    results.cells[{"linear", run, "mondrian"}] = results.cells.at({"linear", run, "fixed"});
  const std::string same =
      "mondrian is the same as fixed on linear: for two bins it takes 76 calibration points";
  check_has(notes(), same);
  check_has(table_tex(results, table_entries(results)),
            {same, "energy\\_with\\_y1 is what", "$\\alpha$ = 0.05"});
  check_has(table_markdown(results, table_entries(results)), {same, "energy\\_with\\_y1 is what"});
  value_of(results, {"linear", 3, "mondrian"}, "size_mean", "0.1") *= 1.001;
  check_lacks(notes(), "mondrian");
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
  results = write_sample("sample_comparison");
  write_comparison(results, compare(results, table_entries(results)).value());
  CHECK(check_blocks("sample_comparison", "comparison", {labels.begin(), labels.end() - 1}) == 4);
}

TEST_CASE("one run has no standard deviation") {
  const Results results = write_sample("sample_table", {}, [](Experiment& e) { e.runs = 1; });
  const Frame entries = table_entries(results);
  CHECK(has(table_markdown(results, entries), "± –"));
  check_has(table_tex(results, entries), "\\pm \\textrm{--}");
  check_lacks(table_tex(results, entries), "\\pm 0.000");
}

TEST_CASE("a pool that the test points do not fill is named, and a validity that measures nothing") {
  const auto written = [](std::size_t pool, std::size_t scored, EvaluationMode mode) {
    const Results results = write_sample("sample_table", {}, [&](Experiment& e) {
      e.evaluation = {.mode = mode, .pool = pool, .scored = scored, .quantile = QuantileRule::ceiling};
    });
    const Frame entries = table_entries(results);
    Ran table = must_run({"table", "sample_table"});
    std::ranges::replace(table.output, '\n', ' ');  // its lines fit a terminal
    return std::vector{table.output, table_tex(results, entries), table_markdown(results, entries)};
  };
  // 60 test points of concrete, 200 of the others
  const std::string fewer = "Fewer test points than the pool of 96: concrete (60).";
  for (const std::string& text : written(96, 80, EvaluationMode::leave_one_out))
    check_has(text, {fewer, "Fewer points scored than the 80 asked for: concrete (60).",
                     "on concrete (60): validity is then a constant"});
  for (const std::string& text : written(96, 0, EvaluationMode::halves)) {
    check_has(text, fewer);
    check_lacks(text, "constant");
  }
}
