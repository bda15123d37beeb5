#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "analysis/pairs.hpp"
#include "cell_edits.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "report/report.hpp"
#include "report/tables.hpp"
#include "sample_results.hpp"

using namespace lacp;
namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Checks that every link of every page below a folder leads to a file; returns the number of pages.
std::size_t check_links(const fs::path& folder) {
  std::size_t pages = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".md") continue;
    ++pages;
    const std::string text = read_file(entry.path());
    for (std::size_t at = 0; (at = text.find("](", at)) != std::string::npos; at += 2) {
      const std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
      CHECK_MESSAGE(fs::exists(entry.path().parent_path() / target), entry.path().string(), ": ", target);
    }
  }
  return pages;
}

}  // namespace

TEST_CASE(
    "the report: the answer first, a page for every experiment, links that exist, the same bytes again") {
  fs::remove_all("sample_report");
  write_sample("sample_report/paper");
  const auto role = [](ReportRole as, const char* base) {
    return [as, base](Experiment& e) { e.report = {as, base}; };
  };
  write_sample("sample_report/full", {.incomplete = true}, role(ReportRole::main, "paper"));
  write_sample("sample_report/for_one", {}, role(ReportRole::single_level, "full"));
  const Results many = write_sample("sample_report/verdict/paper", {}, role(ReportRole::many_runs, "paper"));
  write_table(many, table_entries(many));
  fs::remove_all("sample_report/verdict/paper/cells");  // manifest and table are enough
  write_sample("sample_ablation_of_report/paper/paper");
  write_ablation(ablate("sample_ablation_of_report"), "sample_report/ablation");
  fs::remove("sample_report/ablation/README.md");  // made again from the csv
  Cell failed{.task = {"concrete", 3, "erc"}, .settings = "", .data = "", .values = {}};
  failed.failure = "loss, not finite";
  put_cell("sample_report/full", failed);
  const fs::path file = "sample_report/README.md";
  CHECK(write_report({"sample_report"}) == std::vector<fs::path>{file, "sample_report/index.html"});
  const std::string text = read_file(file);
  CHECK(text.find("**Made-up numbers (`paper`) reproduces Table 1.**") < 500);
  CHECK(contains(text, "With [5 runs](paper/README.md)"));
  CHECK(contains(text, "With [5 runs](verdict/paper/README.md)"));
  CHECK(contains(text, "(`full`) cannot be compared with Table 1 yet.** With [5 runs](full/README.md): "));
  CHECK(contains(text, "| Trained intervals are smaller than those of `fixed` | **holds"));
  CHECK(contains(text, "![Size relative to `fixed`](full/figures/sizes.svg)"));
  CHECK(contains(text, "| [paper, 5 runs](verdict/paper/README.md) | Made-up numbers | 4 |"));
  CHECK(contains(text, "133 of 140"));
  CHECK(std::ranges::count(text, '\n') < 80);

  const std::string full = read_file("sample_report/full/README.md");
  CHECK(full.starts_with("# Made-up numbers\n"));
  CHECK(contains(full, "| concrete | 3 | erc | loss, not finite |"));
  CHECK(contains(read_file("sample_report/paper/README.md"), "## Comparison with the published numbers"));
  CHECK(contains(read_file("sample_report/verdict/paper/README.md"), "| concrete | exp | "));
  CHECK(contains(read_file("sample_report/ablation/README.md"), "Which setting matters"));
  CHECK(contains(read_file("sample_report/claims.md"), "What `full` changes against `paper`"));
  CHECK(fs::exists("sample_report/verdict/paper/verdicts.csv"));
  CHECK(check_links("sample_report") == 7);
  CHECK(read_frame("sample_report/paper/claims.csv").rows.size() > 100);
  CHECK(read_frame("sample_report/claims.csv").rows.size() > 10);
  write_report({"sample_report/"});
  CHECK((read_file(file) == text));
  write_report({"sample_report/full"});  // alone its page is the same
  CHECK((read_file("sample_report/full/README.md") == full));
  CHECK((read_file(file) == text));
}

TEST_CASE("what an experiment is to the report stands in its settings, not in the name of its folder") {
  fs::remove_all("sample_named");
  for (const char* name : {"single_level_x", "verdict/mine"})
    write_sample(fs::path("sample_named") / name, {}, [](Experiment& e) {
      e.datasets = {"cos"}, e.methods = {"fixed", "exp"}, e.reference = {}, e.keep_intervals.datasets.clear();
    });
  write_report({"sample_named"});
  for (const char* name : {"single_level_x", "verdict/mine"}) {
    const fs::path folder = fs::path("sample_named") / name;
    CHECK(fs::exists(folder / "table.csv"));
    CHECK(contains(read_file(folder / "README.md"), "## What it shows"));
  }
}

TEST_CASE("a report on an experiment of your own is about that experiment") {
  fs::remove_all("sample_own");
  write_sample("sample_own/mine", {}, [](Experiment& e) {
    e.title = "Tides", e.datasets = {"concrete"}, e.methods = {"fixed", "erc"};
    e.reference = {}, e.keep_intervals.datasets.clear();
  });
  CHECK(write_report({"sample_own/mine"}) ==
        std::vector<fs::path>{"sample_own/mine/README.md", "sample_own/mine/index.html"});
  CHECK_FALSE(fs::exists("sample_own/README.md"));  // that may be the report on other experiments
  const std::string page = read_file("sample_own/mine/README.md");
  CHECK(
      page.starts_with("# Tides\n\nExperiment `mine`: 1 data set, 2 methods, 5 runs; 10 of 10 tasks done."));
  CHECK(contains(page, "| concrete | erc | "));
  CHECK(contains(page, "](figures/sizes.svg)"));
  CHECK(contains(page, "At α = 0.1 `erc` covers 0.") /* no exp here */);
  std::string headings;
  for (const std::string& line : split_text(page, '\n'))
    if (line.starts_with("## ")) headings += line + "\n";
  CHECK(headings == "## Table\n## Figures\n## What it shows\n");
  for (const char* word : {"paper", "Colombo", "Table 1", "published", "mixture", "nan"})
    CHECK_MESSAGE(!contains(page, word), word);
  CHECK(check_links("sample_own") == 1);

  // Under a name of the user's the title of the yaml says nothing.
  const std::string manifest = read_file("sample_own/mine/manifest.yaml");
  write_file("sample_own/mine/manifest.yaml", "source: full.yaml" + manifest.substr(manifest.find('\n')));
  write_report({"sample_own/mine"});
  CHECK(read_file("sample_own/mine/README.md")
            .starts_with("# mine\n\nExperiment `mine`, run from `full.yaml`: 1 data set,"));
  write_file("sample_own/mine/manifest.yaml", manifest);

  // The only experiment of a folder is what the folder's page is about.
  write_report({"sample_own"});
  const std::string top = read_file("sample_own/README.md");
  CHECK(top.starts_with("# Tides\n"));
  CHECK(contains(top, "](mine/figures/sizes.svg)"));
  // Of two, the page on top is a list.
  write_sample("sample_own/other", {}, [](Experiment& e) { e.title = "Winds", e.reference = {}; });
  write_report({"sample_own"});
  CHECK(contains(read_file("sample_own/README.md"),
                 "| [other](other/README.md) | Winds | 4 | 7 | 5 | 140 of 140 |"));
  CHECK_FALSE(contains(read_file("sample_own/README.md"), "paper"));
  CHECK(check_links("sample_own") == 3);
}

TEST_CASE("one answer from few runs and from many") {
  const auto made_up = [](std::size_t runs, double factor, bool all = false) {
    ReportedExperiment e;
    e.results.experiment = sample_experiment();
    e.results.experiment.runs = runs, e.results.source = "sample.yaml";
    e.link = fmt::format("of_{}", runs);
    e.done = e.wanted = 28 * runs;
    const Frame published = sample_reference();
    e.entries = Frame(
        {"dataset", "method", "alpha", "runs", "size_mean", "size_std", "validity_mean", "validity_std"});
    for (const Row& row : published)
      e.entries.add({row["dataset"] == "energy" ? "energy_y1" : row["dataset"], row["method"], row["alpha"],
                     runs, row.number("size_mean") * (all || row["method"] == "sigma" ? factor : 1.0),
                     row.number("size_std"), row.number("validity_mean"), 0.02});
    e.comparison = compare_with(published, e.results.experiment, e.entries);
    return e;
  };
  const ReportedExperiment same5 = made_up(5, 1.0), same50 = made_up(50, 1.0), far5 = made_up(5, 4.0),
                           far50 = made_up(50, 4.0), other50 = made_up(50, 4.0, true);
  CHECK(contains(protocol_answer(&same5, &same50),
                 "(`sample`) reproduces Table 1.** With [5 runs](of_5/README.md) 72 of its 72 numbers"));
  CHECK(contains(protocol_answer(&same5, &same50), "none differs beyond chance."));
  // Few runs see nothing that many do see: one sentence says both.
  const std::string both = protocol_answer(&same5, &far50);
  CHECK(contains(both, "reproduces Table 1 as far as 5 runs can tell, but 50 runs tell the two apart.**"));
  CHECK(contains(both, "6 differ beyond chance: the size of sigma on energy_y1 at α = 0.05, "));
  CHECK(contains(both, "; and 3 more."));
  CHECK(contains(protocol_answer(&far5, &far50), "reproduces Table 1 in part.**"));
  CHECK(contains(protocol_answer(&far5, &same50), "reproduces Table 1.**"));  // the many decide
  CHECK(contains(protocol_answer(&far5, &other50), "does not reproduce Table 1.**"));
  CHECK(contains(protocol_answer(nullptr, &same50), "reproduces Table 1.** With [50 runs]"));
  ReportedExperiment partly = same5;
  partly.done -= 3;
  CHECK(contains(protocol_answer(&partly, nullptr),
                 " 3 of 140 tasks failed or are missing, and are left out."));
  const ReportedExperiment two = made_up(2, 1.0);
  CHECK(contains(
      protocol_answer(&two, nullptr),
      "cannot be compared with Table 1 yet.** With [2 runs](of_2/README.md): the runs are too few to tell."));
}

TEST_CASE("a folder without results is an error that says so") {
  fs::create_directories("sample_report/empty");
  CHECK_THROWS_AS(write_report({"sample_report/empty"}), UserError);
}

TEST_CASE("the program: table, compare, figures, report") {
  write_sample("sample_report/paper");
  const std::string program = lacp_executable;
  for (const std::string command : {"table", "compare", "figures", "report"}) {
    INFO(command);
    CHECK(std::system((program + " " + command + " sample_report/paper >out.txt 2>&1").c_str()) == 0);
  }
  CHECK(fs::exists("sample_report/paper/verdicts.csv"));
  CHECK(std::system((program + " table sample_report/nowhere >out.txt 2>&1").c_str()) != 0);
  CHECK(contains(read_file("out.txt"), "manifest.yaml"));
}
