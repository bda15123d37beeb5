// What a report leaves alone, and what it does not leave behind.
#include <doctest/doctest.h>

#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "report/tables.hpp"
#include "sample_results.hpp"

using namespace lacp;

TEST_CASE(
    "a table that is kept without its cells is shown, and never replaced, whatever its folder is called") {
  const TemporaryFolder folder;
  const Results results = write_sample(folder / "many");
  write_table(results, table_entries(results));
  fs::remove_all(folder / "many/cells");
  const std::string kept = read_file(folder / "many/table.csv");
  for (const std::string& path : {(folder / "many").string(), folder.path().string()}) {
    const Ran report = lacp_program({"report", path});
    CHECK_MESSAGE(report.status == 0, report.messages);
    CHECK((read_file(folder / "many/table.csv") == kept));
    const std::string page = read_file(folder / "many/README.md");
    CHECK(has(page, "140 of 140 tasks done"));
    CHECK(has(page, "[table.csv](table.csv), which is kept without its cells."));
    CHECK_FALSE(has(page, "missing"));
    CHECK(has(page, "## Comparison with the published numbers"));
  }
  // A table of another experiment is not shown as this one's, and stays.
  const std::string part = kept.substr(0, kept.rfind('\n', kept.size() - 2) + 1);
  write_file(folder / "many/table.csv", part);
  const Ran report = lacp_program({"report", (folder / "many").string()});
  CHECK(report.status == 2);
  CHECK_MESSAGE(has(report.messages, "table.csv: its rows are not those of the manifest.yaml"),
                report.messages);
  CHECK((read_file(folder / "many/table.csv") == part));
  // One without a number is no loss.
  fs::remove(folder / "many/table.csv");
  CHECK(lacp_program({"report", (folder / "many").string()}).status == 0);
  CHECK(lacp_program({"report", (folder / "many").string()}).status == 0);
  CHECK(has(read_file(folder / "many/README.md"), "0 of 140 tasks done"));
}

TEST_CASE("what an earlier report wrote of data that is gone is neither shown nor left") {
  const TemporaryFolder folder;
  write_sample(folder / "results/mine");
  write_sample(folder / "results/paper");
  write_sample(folder / "results/full", {}, [](Experiment& e) { e.report.base = "paper"; });
  REQUIRE(lacp_program({"report", (folder / "results").string()}).status == 0);
  const fs::path mine = folder / "results/mine";
  CHECK(has(read_file(mine / "README.md"), "figure1.svg"));
  CHECK(fs::exists(folder / "results/claims.md"));
  const char* const gone[] = {"comparison.csv", "comparison.tex",      "comparison_standalone.tex",
                              "verdicts.csv",   "figures/figure1.svg", "figures/figure1.pdf"};
  for (const char* name : gone) REQUIRE_MESSAGE(fs::exists(mine / name), name);

  write_sample(folder / "other/mine", {},
               [](Experiment& e) { e.reference = {}, e.keep_intervals.datasets.clear(); });
  for (const char* name : {"cells", "intervals", "manifest.yaml"}) {
    fs::remove_all(mine / name);
    if (fs::exists(folder / "other/mine" / name))
      fs::copy(folder / "other/mine" / name, mine / name, fs::copy_options::recursive);
  }
  fs::remove_all(folder / "results/full");
  REQUIRE(lacp_program({"report", (folder / "results").string()}).status == 0);
  for (const char* name : gone) CHECK_MESSAGE(!fs::exists(mine / name), name);
  CHECK_FALSE(fs::exists(folder / "results/claims.md"));
  REQUIRE(lacp_program({"report", mine.string()}).status == 0);
  const std::string page = read_file(mine / "README.md"), data = read_file(mine / "index.html");
  CHECK_FALSE(has(page, "figure1"));
  CHECK_FALSE(has(page, "comparison.csv"));
  CHECK_FALSE(has(data, "\"comparison.csv\""));
  CHECK(has(data, "\"claims.csv\""));
}

TEST_CASE("a page that was written before the newest cells is told of") {
  const TemporaryFolder results;
  const auto run = [&](const char* runs) {
    const Ran ran =
        lacp_program(quick_run(results.path(), {"--datasets", "cos", "--methods", "fixed", "--runs", runs}));
    CHECK_MESSAGE(ran.status == 0, ran.messages);
    return has(ran.messages,
               fmt::format("{}: was written before these results; to write it again: lacp report {}",
                           (results / "smoke/README.md").string(), (results / "smoke").string()));
  };
  CHECK_FALSE(run("1"));  // no page yet
  REQUIRE(lacp_program({"report", (results / "smoke").string()}).status == 0);
  CHECK_FALSE(run("1"));
  CHECK(run("2"));
  REQUIRE(lacp_program({"report", (results / "smoke").string()}).status == 0);
  CHECK_FALSE(run("2"));
}
