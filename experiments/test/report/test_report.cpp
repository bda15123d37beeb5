// The report: its pages, what it leaves alone, and what it does not leave behind.
#include "sample_results.hpp"

using namespace lacp;

TEST_CASE("a report of one or all has the same bytes again; an article's numbers are no page") {
  fs::remove_all("sample_report");
  write_sample("sample_report/paper");
  write_sample("sample_report/full", {.incomplete = true}, [](Experiment& e) {
    e.report = {ReportRole::main, "paper"};
  });
  const fs::path file = "sample_report/README.md";
  CHECK(write_report({"sample_report"}) == std::vector<fs::path>{file, "sample_report/index.html"});
  const std::string text = read_file(file), full = read_file("sample_report/full/README.md");
  check_has(text, {"(`full`) cannot be compared with Table 1 yet.** With [5 runs](full/README.md): ",
                   "133 of 140"});
  write_report({"sample_report/"});
  CHECK((read_file(file) == text));
  write_report({"sample_report/full"});  // alone its page is the same
  CHECK((read_file("sample_report/full/README.md") == full));
  CHECK((read_file(file) == text));

  write_file(
      "sample.tex",
      "\\res{n}\n\\end{document}\nn: sample_report/paper/table.csv | alpha=0.1 | {distinct dataset}\n");
  fs::remove(file);
  CHECK(write_report({"sample_report"}, "sample.tex") ==
        std::vector<fs::path>{"sample_report/sample_numbers.tex", "sample_report/sample_data.bib"});
  CHECK_FALSE(fs::exists(file));
  CHECK(has(read_file("sample_report/sample_numbers.tex"), "\\csname res:n\\endcsname{4}\n"));
  CHECK_THROWS_AS(write_report({"sample_report/full"}, "sample.tex"), UserError);
}

TEST_CASE("claims are told by those that can, also where the first protocol has no cells") {
  fs::remove_all("sample_told");
  write_sample("sample_told/paper");
  write_sample("sample_told/full", {}, [](Experiment& e) { e.report.role = ReportRole::main; });
  const auto told = [] {
    Words ids;
    const Report report = load_report({"sample_told"}, "sample_told");
    for (const ReportedClaim& claim : told_claims(report))
      ids.push_back(claim.claim.id + " of " + claim.where);
    return ids;
  };
  const Words before = told();
  REQUIRE(before.size() > 3);
  fs::remove_all("sample_told/paper/cells");
  CHECK(told() == before);
}

TEST_CASE("a report on an experiment of your own is about that experiment, whatever its folder is called") {
  fs::remove_all("sample_own");
  const auto page = [](const char* folder) {
    write_report({folder});
    return read_file(fs::path(folder) / "README.md");
  };
  write_sample("sample_own/single_level_x", {}, [](Experiment& e) { make_small(e), e.title = "Tides"; });
  const std::string mine = page("sample_own/single_level_x");
  CHECK_FALSE(fs::exists("sample_own/README.md"));  // that may be the report on other experiments
  CHECK(mine.starts_with(
      "# Tides\n\nExperiment `single_level_x`: 1 data set, 2 methods, 5 runs; 10 of 10 tasks done."));
  check_has(mine, {"| concrete | exp | ", "](figures/sizes.svg)", "At α = 0.1 `exp` covers 0."});
  std::string headings;
  for (const std::string& line : split_text(mine, '\n'))
    if (line.starts_with("## ")) headings += line + "\n";
  CHECK(headings == "## Table\n## Figures\n## What it shows\n");
  check_lacks(mine, {"paper", "Colombo", "Table 1", "published", "mixture", "nan"});

  // The only experiment of a folder is what the folder's page is about.
  const std::string top = page("sample_own");
  CHECK(top.starts_with("# Tides\n"));
  check_has(top, "](single_level_x/figures/sizes.svg)");
  // Of two, the page on top is a list.
  write_sample("sample_own/other", {}, [](Experiment& e) { e.title = "Winds", e.reference = {}; });
  const std::string list = page("sample_own");
  check_has(list, "| [other](other/README.md) | Winds | 4 | 7 | 5 | 140 of 140 |");
  check_lacks(list, "paper");

  // Under a name of the user's the title of the yaml says nothing.
  const fs::path file = "sample_own/single_level_x/manifest.yaml";
  const std::string manifest = read_file(file);
  write_file(file, "source: full.yaml" + manifest.substr(manifest.find('\n')));
  CHECK(page("sample_own/single_level_x")
            .starts_with("# single\\_level\\_x\n\nExperiment `single_level_x`, run from `full.yaml`: "));
}

TEST_CASE("a table is not replaced by one without numbers") {
  const TemporaryFolder folder;
  const Results results = write_sample(folder / "mine");
  write_table(results, table_entries(results));
  fs::remove_all(folder / "mine/cells");
  const std::string there = read_file(folder / "mine/table.csv");
  for (const char* command : {"table", "compare", "figures"})
    check_ran(lacp_program({command, folder / "mine"}), 2,
              {"no cell is finished", "140 tasks are not finished"});
  must_run({"report", folder / "mine"});
  CHECK((read_file(folder / "mine/table.csv") == there));
  CHECK(has(read_file(folder / "mine/README.md"), "0 of 140 tasks done"));
}

TEST_CASE("what an earlier report wrote of data that is gone is neither shown nor left") {
  const TemporaryFolder folder;
  const auto one_set = [](Experiment& e) { e.datasets = {"concrete"}, e.keep_intervals.datasets.clear(); };
  write_sample(folder / "results/mine", {}, [](Experiment& e) { e.datasets = {"concrete", "cos"}; });
  write_sample(folder / "results/paper", {}, one_set);
  write_sample(folder / "results/full", {}, [&](Experiment& e) { one_set(e), e.report.base = "paper"; });
  must_run({"report", folder / "results"});
  const fs::path mine = folder / "results/mine";
  REQUIRE(fs::exists(folder / "results/claims.md"));
  const char* const gone[] = {"comparison.csv", "comparison.tex", "verdicts.csv", "figures/figure1.svg",
                              "figures/figure1.pdf"};
  for (const char* name : gone) REQUIRE_MESSAGE(fs::exists(mine / name), name);

  write_sample(folder / "other/mine", {}, [&](Experiment& e) { one_set(e), e.reference = {}; });
  for (const char* name : {"cells", "intervals", "manifest.yaml"}) {
    fs::remove_all(mine / name);
    if (fs::exists(folder / "other/mine" / name))
      fs::copy(folder / "other/mine" / name, mine / name, fs::copy_options::recursive);
  }
  fs::remove_all(folder / "results/full");
  must_run({"report", folder / "results"});
  for (const char* name : gone) CHECK_MESSAGE(!fs::exists(mine / name), name);
  CHECK_FALSE(fs::exists(folder / "results/claims.md"));
  must_run({"report", mine});
  for (const char* page : {"README.md", "index.html"})
    check_lacks(read_file(mine / page), {"figure1.svg", "comparison.csv"});
}

TEST_CASE("a page that was written before the newest cells is told of, and so is the page on top") {
  const TemporaryFolder results;
  const fs::path own = results / "smoke";
  const auto note = [](const fs::path& folder) {
    return fmt::format("{}: was written before these results; to write it again: lacp report {}",
                       (folder / "README.md").string(), folder.string());
  };
  const auto run = [&](const char* runs) {
    return must_run(quick_run(results.path(), {"--datasets", "cos", "--methods", "fixed", "--runs", runs}))
        .messages;
  };
  const auto said = [&](const char* command) {
    const Ran ran = must_run({command, own});
    return ran.output + ran.messages;
  };
  check_lacks(run("1"), "was written before");  // no page yet
  must_run({"report", own});
  write_file(results / "README.md", "# Notes of my own\n");
  check_lacks(run("1"), "was written before");
  check_has(run("2"), note(own));
  check_lacks(said("table"), note(results.path()));
  fs::remove(results / "README.md");
  must_run({"report", results.path()});
  check_lacks(said("table") + said("status"), "was written before");
  run("3");
  for (const char* command : {"table", "status"}) check_has(said(command), {note(results.path()), note(own)});
  must_run({"report", own});
  check_lacks(said("table"), note(own));
  check_has(said("table"), note(results.path()));
}

TEST_CASE("experiments that are named each get their pages, and the page of all stays") {
  const TemporaryFolder folder;
  for (const char* name : {"one", "two", "three"}) write_sample(folder / name, {}, make_small);
  write_file(folder / "index.html", "of all");
  const Ran ran = must_run({"report", folder / "one", folder / "two"});
  for (const std::string name : {"one", "two"}) {
    check_has(ran.output, (folder / name).string() + "/README.md\n");
    check_has(read_file(folder / name / "index.html"), "\"name\":\"" + name + "\"");
  }
  check_lacks(read_file(folder / "two/index.html"), "\"name\":\"one\"");
  CHECK(read_file(folder / "index.html") == "of all");
  CHECK_FALSE(fs::exists(folder / "three/README.md"));
}

TEST_CASE("a report touches nothing in a folder without results, and no page that somebody wrote") {
  const TemporaryFolder folder;
  write_sample(folder / "results/one", {}, make_small);
  const std::string one = folder / "results/one", docs = folder / "docs", misspelt = folder / "results/onee";
  const char* const pages[] = {"README.md", "index.html", "claims.csv", "claims.md"};
  for (const char* name : pages) write_file(folder / "docs" / name, "mine");
  const auto refused = [](const Words& words, const std::string& message) {
    check_refused(lacp_program({"report"}, words), 2, message);
  };
  refused({one, docs}, docs + ": holds no results; expected ");
  refused({one, misspelt}, misspelt + ": there is no such folder; expected ");
  CHECK_FALSE(fs::exists(misspelt));
  for (const char* name : pages) CHECK(read_file(folder / "docs" / name) == "mine");
  CHECK_FALSE(fs::exists(folder / "results/one/README.md"));

  // The folder above results/ holds experiments, too, and mostly a page of its own.
  for (const char* name : pages)
    for (const fs::path& above : {folder.path(), folder / "results", folder / "results/one"}) {
      if (above == folder / "results/one" && std::string_view(name).starts_with("claims")) continue;
      write_file(above / name, "mine");
      refused({above}, (above / name).string() + ": was not written by lacp");
      CHECK(read_file(above / name) == "mine");
      CHECK_FALSE(fs::exists(folder / "results/one/table.csv"));
      fs::remove(above / name);
    }
  must_run({"report", one, folder / "results"});
  must_run({"report", one, folder / "results"});  // over its own pages
}
