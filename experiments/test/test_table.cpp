#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "output/table.hpp"
#include "sample_results.hpp"

using namespace lacp;
namespace fs = std::filesystem;

namespace {

const TableEntry& entry(const std::vector<TableEntry>& entries, std::string_view dataset,
                        std::string_view method, std::string_view alpha) {
  for (const TableEntry& e : entries)
    if (e.dataset == dataset && e.method == method && e.alpha == alpha) return e;
  throw std::logic_error("no such entry");
}

}  // namespace

TEST_CASE("an entry is the mean and the population deviation over the runs of its cells") {
  const Results results = write_sample("sample_table");
  const std::vector<TableEntry> entries = table_entries(results);
  CHECK(entries.size() == 4 * 7 * 3);
  double sum = 0.0, squares = 0.0;
  for (std::size_t run = 0; run < 5; ++run) {
    const double size = *results.cells.at({"concrete", run, "exp"}).value("size_mean", "0.1");
    sum += size;
    squares += size * size;
  }
  const TableEntry& e = entry(entries, "concrete", "exp", "0.1");
  CHECK(e.size.mean == doctest::Approx(sum / 5.0).epsilon(1e-12));
  CHECK(e.size.deviation == doctest::Approx(std::sqrt(squares / 5.0 - sum * sum / 25.0)).epsilon(1e-9));
  CHECK(e.complete());
}

TEST_CASE("table.csv follows the experiment's order and reads back") {
  const Results results = write_sample("sample_table");
  write_table(results);
  const TextTable table = read_text_table("sample_table/table.csv");
  CHECK(table.rows.size() == 84);
  CHECK(table.rows[0][0] == "energy_y1");
  CHECK(table.rows[0][1] == "erc_error_fit");
  CHECK(table.rows[83][1] == "mixture");
  CHECK(table.number(0, "runs") == 5);
  CHECK(table.number(0, "size_mean") == doctest::Approx(table_entries(results)[0].size.mean).epsilon(1e-9));
}

TEST_CASE("a cell with fewer runs than asked for is marked and never the best") {
  const std::vector<TableEntry> entries = table_entries(write_sample("sample_table", {.incomplete = true}));
  const TableEntry& fewer = entry(entries, "concrete", "erc", "0.05");
  CHECK(fewer.runs == 3);
  CHECK_FALSE(fewer.complete());
  CHECK_FALSE(fewer.best);
  CHECK(entry(entries, "concrete", "erc_error_fit", "0.05").runs == 0);
  const Results results = load_results("sample_table");
  CHECK(results.missing.size() == 7);
  const std::string tex = table_tex(results, entries);
  CHECK(tex.find("^{\\dagger 3}") != std::string::npos);
  CHECK(tex.find("mean of only $k$ of the 5 runs") != std::string::npos);
  CHECK(table_markdown(results, entries).find("†3") != std::string::npos);
}

TEST_CASE("one infinite interval makes the size infinite") {
  const Results results = write_sample("sample_table", {.infinite = true});
  const TableEntry e = entry(table_entries(results), "energy_y1", "linear", "0.05");
  CHECK(std::isinf(e.size.mean));
  CHECK(e.infinite == doctest::Approx(0.004));
  CHECK_FALSE(e.best);
  CHECK(std::isfinite(entry(table_entries(results), "energy_y1", "linear", "0.1").size.mean));
}

TEST_CASE("exactly the smallest printed size of each data set and level is bold") {
  const std::vector<TableEntry> entries = table_entries(write_sample("sample_table"));
  for (const TableEntry& e : entries) {
    bool smallest = true;
    for (const TableEntry& other : entries)
      if (other.dataset == e.dataset && other.alpha == e.alpha)
        smallest = smallest && fmt::format("{:.3f}", e.size.mean) <= fmt::format("{:.3f}", other.size.mean);
    CHECK(e.best == smallest);
  }
}

TEST_CASE("cells of other settings are set aside, damaged ones are an error") {
  write_sample("sample_table");
  const auto change_manifest = [](const std::string& from, const std::string& to) {
    std::string manifest = read_file("sample_table/manifest.yaml");
    const std::size_t at = manifest.find(from);
    REQUIRE(at != std::string::npos);
    write_file("sample_table/manifest.yaml", manifest.replace(at, from.size(), to));
  };
  change_manifest("squared_error_fit: false", "squared_error_fit: true");
  const Results results = load_results("sample_table");
  CHECK(results.different.size() == 4 * 5);
  CHECK(entry(table_entries(results), "cos", "erc_error_fit", "0.1").runs == 0);
  // Other data: the manifest says what the cells have to be made from.
  change_manifest("cos: {fingerprint: made up}", "cos: {fingerprint: changed}");
  CHECK(load_results("sample_table").different.size() == 3 * 5 + 7 * 5);
  write_file("sample_table/cells/cos/0/exp.csv", "# lacp cell, format 1\n");
  CHECK_THROWS_AS(load_results("sample_table"), UserError);
}

TEST_CASE("table.tex compiles on its own and by \\input, on pages it fits on") {
  if (std::system("pdflatex --version >pdflatex.txt 2>&1") != 0)
    FAIL("pdflatex is not installed (Debian: texlive-latex-base texlive-latex-recommended)");
  for (const bool flawed : {false, true}) {
    write_table(write_sample("sample_table", {.incomplete = flawed, .infinite = flawed}));
    CHECK(
        std::system(
            "cd sample_table && pdflatex -interaction=nonstopmode -halt-on-error table_standalone.tex >out.txt 2>&1") ==
        0);
    CHECK(fs::exists("sample_table/table_standalone.pdf"));
    CHECK(read_file("sample_table/table_standalone.log").find("Overfull") == std::string::npos);
  }
}
