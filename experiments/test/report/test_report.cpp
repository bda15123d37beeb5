// The report: its pages, what it leaves alone, and what it does not leave behind.
#include "report/tables.hpp"
#include "sample_results.hpp"

using namespace lacp;

TEST_CASE("the first page begins with Table 1, the page of a folder without it with its experiments") {
  fs::remove_all("sample_report");
  write_sample("sample_report/paper");
  write_sample("sample_report/full", {.incomplete = true}, [](Experiment& e) { e.reference = {}; });
  const fs::path file = "sample_report/README.md";
  CHECK(write_report({"sample_report"}) == std::vector<fs::path>{file, "sample_report/index.html"});
  const std::string text = read_file(file), full = read_file("sample_report/full/README.md");
  check_has(text, {"[`paper`, 5 runs](paper/README.md)", "36 of 36", "133 of 140"});
  write_report({"sample_report/full"});  // alone its page is the same
  CHECK((read_file("sample_report/full/README.md") == full));
  check_lacks(read_file("sample_report/full/index.html"), "\"name\":\"paper\"");
  CHECK((read_file(file) == text));

  fs::remove_all("sample_own");
  write_sample("sample_own/mine", {}, [](Experiment& e) {
    make_small(e);
    e.title = "Tides";
  });
  write_report({"sample_own"});  // the only experiment of a folder is what the folder's page is about
  const std::string mine = read_file("sample_own/README.md");
  CHECK(
      mine.starts_with("# Tides\n\nExperiment `mine`: 1 data set, 2 methods, 5 runs; 10 of 10 tasks done;"));
  check_has(mine, "![Size relative to fixed, per data set, method and level](mine/figures/sizes.svg)");
  check_lacks(mine, {"Colombo", "Table 1", "nan"});
}

TEST_CASE("a table is not replaced by one without numbers") {
  const TemporaryFolder folder;
  const Results results = write_sample(folder / "mine");
  write_table(results, table_entries(results));
  fs::remove_all(folder / "mine/cells");
  const std::string there = read_file(folder / "mine/table.csv");
  for (const char* command : {"table", "compare", "figures"})
    check_ran(lacp_program({command, folder / "mine"}), 2, {"no cell is finished", "140 tasks not finished"});
  must_run({"report", folder / "mine"});
  CHECK((read_file(folder / "mine/table.csv") == there));
  CHECK(has(read_file(folder / "mine/README.md"), "0 of 140 tasks done"));
}

TEST_CASE("what an earlier report wrote of data that is gone is neither shown nor left") {
  const TemporaryFolder folder;
  const fs::path mine = folder / "results/mine";
  write_sample(mine, {}, [](Experiment& e) { e.datasets = {"concrete", "cos"}; });
  must_run({"report", folder / "results"});
  const char* const gone[] = {"comparison.csv", "figures/figure1.svg", "figures/figure1.pdf"};
  for (const char* name : gone) REQUIRE_MESSAGE(fs::exists(mine / name), name);
  write_sample(folder / "other/mine", {}, make_small);
  for (const char* name : {"cells", "intervals", "manifest.yaml"}) {
    fs::remove_all(mine / name);
    if (fs::exists(folder / "other/mine" / name))
      fs::copy(folder / "other/mine" / name, mine / name, fs::copy_options::recursive);
  }
  must_run({"report", folder / "results"});
  for (const char* name : gone) CHECK_MESSAGE(!fs::exists(mine / name), name);
  check_lacks(read_file(mine / "README.md"), {"figure1.svg", "comparison.csv"});
}

TEST_CASE("a report touches nothing in a folder without results, and no page that somebody wrote") {
  const TemporaryFolder folder;
  write_sample(folder / "results/one", {}, make_small);
  const std::string one = folder / "results/one", docs = folder / "docs", misspelt = folder / "results/onee";
  const char* const pages[] = {"README.md", "index.html"};
  for (const char* name : pages) write_file(folder / "docs" / name, "mine");
  const auto refused = [](const Words& words, const std::string& message) {
    check_refused(lacp_program({"report"}, words), 2, message);
  };
  refused({one, docs}, docs + ": holds no results");
  refused({one, misspelt}, misspelt + ": no such folder");
  CHECK_FALSE(fs::exists(misspelt));
  for (const char* name : pages) CHECK(read_file(folder / "docs" / name) == "mine");
  CHECK_FALSE(fs::exists(folder / "results/one/README.md"));
  // The folder above results/ holds experiments, too, and mostly a page of its own.
  for (const char* name : pages)
    for (const fs::path& above : {folder.path(), folder / "results", folder / "results/one"}) {
      write_file(above / name, "mine");
      refused({above}, (above / name).string() + ": not by lacp");
      CHECK(read_file(above / name) == "mine");
      CHECK_FALSE(fs::exists(folder / "results/one/table.csv"));
      fs::remove(above / name);
    }
  must_run({"report", one, folder / "results"});
  must_run({"report", one, folder / "results"});  // over its own pages
}
