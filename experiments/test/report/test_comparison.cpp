// Numbers of others: compared with ours, and what that answers; or beside ours, without a test.
#include <cmath>
#include <regex>
#include <utility>

#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "near.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

const Row& number(const Comparison& c, std::string_view dataset, std::string_view method,
                  std::string_view alpha, std::string_view quantity) {
  return row_of(c.numbers,
                {{"dataset", dataset}, {"method", method}, {"alpha", alpha}, {"quantity", quantity}});
}

/// The page of results beside numbers of others, which this csv has.
std::string page_beside(Results& results, const std::string& csv) {
  const std::string name = fmt::format("beside_{}.csv", csv.size());  // none is written over
  write_file(name, "# Someone (2025).\n" + csv);
  results.experiment.reference.beside = name;
  return page_of(results);
}

/// Numbers of a peer on the rows of frontier_results.
struct Peers {
  explicit Peers(const std::string& rows) {
    write_file("sample_frontier/peers.csv",
               "dataset,run,method,alpha,size,winkler,validity,seconds\n" + rows);
  }
  ~Peers() { fs::remove("sample_frontier/peers.csv"); }
};

}  // namespace

TEST_CASE("what is missing or infinite is counted, and does not agree") {
  Results results = write_sample("sample_comparison", {.incomplete = true, .infinite = true});
  const Comparison c = compare(results, table_entries(results)).value();
  CHECK(c.overall().count("numbers") == 72);
  CHECK(c.overall().count("comparable") ==
        72 - 6 - 1);  // erc_error_fit on concrete has no run; one size is infinite
  CHECK(number(c, "energy_y1", "linear", "0.05", "size")["within_2_standard_errors"] == "");
  CHECK(number(c, "energy_y1", "linear", "0.05", "validity")["within_2_standard_errors"] != "");
  CHECK(number(c, "energy_y1", "linear", "0.05", "size")["reference_dataset"] == "energy");
  CHECK(has(c.overall()["verdict"], "7 could not be compared"));
  results.experiment.reference.file = "nowhere.csv";
  CHECK_THROWS_AS(compare(results, table_entries(results)), UserError);
  results.experiment.reference.file = "";
  CHECK_FALSE(compare(results, table_entries(results)).has_value());
}

TEST_CASE("a level that the published table does not have leaves its columns empty, not those of the next") {
  const Results results = write_sample("sample_comparison", {}, [](Experiment& e) {
    e.levels.insert(e.levels.begin() + 1, Level::parse("0.07"));
  });
  const Comparison c = compare(results, table_entries(results)).value();
  const double last = number(c, "concrete", "fixed", "0.32", "size").number("paper_mean");
  const std::string tex = comparison_tex(results, c);
  const std::size_t row = tex.find("\\texttt{fixed}", tex.find("concrete"));
  const std::vector<std::string> cells = split_text(tex.substr(row, tex.find("\\\\", row) - row), '&');
  REQUIRE(cells.size() == 1 + 4 * 3);
  CHECK(trim(cells[5]) == "");
  CHECK(trim(cells[11]) == fmt::format("${:.3f}$", last));
}

TEST_CASE("one answer from few runs and from many") {
  // `errors`: all sizes are off by this many combined standard errors.
  const auto made_up = [](std::size_t runs, double factor, bool all = false, double errors = 0.0) {
    ReportedExperiment e;
    e.results.experiment = sample_experiment();
    e.results.experiment.runs = runs, e.results.source = "sample.yaml";
    e.link = fmt::format("of_{}", runs);
    e.done = e.wanted = 28 * runs;
    const Frame published = sample_reference();
    e.entries = Frame(
        {"dataset", "method", "alpha", "runs", "size_mean", "size_std", "validity_mean", "validity_std"});
    for (const Row& row : published)
      e.entries.add(
          {row["dataset"] == "energy" ? "energy_y1" : row["dataset"], row["method"], row["alpha"], runs,
           row.number("size_mean") * (all || row["method"] == "sigma" ? factor : 1.0) +
               errors * row.number("size_std") * std::sqrt(0.25 + 1.0 / static_cast<double>(runs - 1)),
           row.number("size_std"), row.number("validity_mean"), 0.02});
    e.comparison = compare_with(published, e.results.experiment, e.entries);
    return e;
  };
  const ReportedExperiment same5 = made_up(5, 1.0), same50 = made_up(50, 1.0), far5 = made_up(5, 4.0),
                           far50 = made_up(50, 4.0), other50 = made_up(50, 4.0, true), two = made_up(2, 1.0),
                           off50 = made_up(50, 1.0, false, 2.5);
  ReportedExperiment partly = same5;
  partly.done -= 3;
  struct Case {
    const ReportedExperiment *few, *many;
    Parts answer;
  };
  for (const auto& [few, many, answer] :
       {Case{&same5, &same50, {"(`sample`) reproduces Table 1.**", "[5 runs](of_5/README.md) 72 of its 72"}},
        // Few runs see nothing that many do see: one sentence says both.
        {&same5,
         &far50,
         {"as far as 5 runs can tell, but 50 runs tell the two apart.**",
          "6 differ beyond chance: the size of sigma on energy_y1 at α = 0.05, ", "; and 3 more."}},
        {&far5, &far50, "reproduces Table 1 in part.**"},
        {&far5, &same50, " reproduces Table 1.**"},  // the many decide
        {&far5, &other50, "does not reproduce Table 1.**"},
        {nullptr, &same50, "reproduces Table 1.** With [50 runs]"},
        {&partly, nullptr, " 3 of 140 tasks failed or are missing"},
        {&two, nullptr, {"cannot be compared with Table 1 yet.**", "the runs are too few"}}})
    check_has(protocol_answer(few, many), answer);
  // Many that are off a little, and none beyond chance: the test that is stated does not tell them apart.
  REQUIRE(off50.comparison->overall().number("share") == 0.5);
  REQUIRE(off50.comparison->overall()["significant_after_holm"] == "0");
  for (const ReportedExperiment* few : {&same5, &far5}) {
    const std::string answer = protocol_answer(few, &off50);
    check_has(answer, {"does not differ from Table 1 beyond chance", "none differs beyond chance."});
    check_lacks(answer, "tell the two apart");
  }
}

TEST_CASE(
    "Table 1 stands beside ours where the page begins, marked where they differ, the largest ratios named") {
  fs::remove_all("sample_beside");
  Results paper = write_sample("sample_beside/paper", {}, [](Experiment& e) {
    e.datasets = {"energy_y1", "concrete"}, e.keep_intervals.datasets.clear();
  });
  Frame entries = table_entries(paper);
  for (Row& e : entries.rows)
    if (e.has({{"dataset", "concrete"}, {"method", "exp"}, {"alpha", "0.1"}}))
      e.set("size_mean", 10.0 * e.number("size_mean"));
  ReportedExperiment e = reported(paper);
  e.entries = entries, e.comparison = compare_with(sample_reference(), paper.experiment, entries);
  const Row& far = number(*e.comparison, "concrete", "exp", "0.1", "size");
  const std::string ours = display(far.number("ours_mean")), published = display(far.number("paper_mean"));
  e.results.experiment.reference.file = "table1.csv";
  const std::string tables = protocol_tables({e});
  check_has(tables, {"<details open><summary>", "| data set | method | size, α = 0.05 | validity, α = 0.05 |",
                     fmt::format(" | **{}**\\* / {} | ", ours, published),
                     "[table.csv](paper/table.csv), [table.tex](paper/table.tex), [comparison.csv](paper/"});
  CHECK(count(tables, "\n| energy_y1 |") + count(tables, "\n| concrete |") == 12);
  std::size_t marked = 0;
  for (const Row& n : e.comparison->numbers) marked += n["within_2_standard_errors"] == "no" ? 1 : 0;
  CHECK(count(tables, "**") == 2 * marked);
  const auto within = [&](double errors) { return agreement(e.comparison->numbers, errors).within; };
  CHECK(within(1.0) < within(2.0));
  CHECK(within(2.0) + marked == 72);
  check_has(protocol_answer(&e, nullptr),
            {fmt::format("{} within 1, ", within(1.0)), fmt::format("{} within 3, ", within(3.0)),
             "The largest ratios of sizes, by level: exp on concrete, ", fmt::format(" / {} / ", ours),
             " (medians over runs "});
  write_report({"sample_beside"});
  const std::string page = read_file("sample_beside/README.md");
  CHECK(page.find("## Table 1 beside ours") < page.find("## The claims"));
}

TEST_CASE(
    "a mean that one run carries away is told apart from one that agrees, and medians are counted, too") {
  fs::remove_all("sample_medians");
  ReportedExperiment e = reported(write_sample("sample_medians/paper", {}, [](Experiment& x) {
    x.datasets = {"energy_y1", "concrete"}, x.keep_intervals.datasets.clear();
  }));
  e.entries = table_entries(e.results);
  e.comparison = compare_with(sample_reference(), e.results.experiment, e.entries);
  const auto counts = [](const std::string& answer) {
    std::smatch found;
    const std::regex form(
        "By medians over runs ([0-9]+) of 36 sizes lie within 2 robust standard errors "
        "\\(by means ([0-9]+)\\)");
    REQUIRE(std::regex_search(answer, found, form));
    return std::pair(std::stoi(found[1]), std::stoi(found[2]));
  };
  const std::string calm = protocol_answer(&e, nullptr);
  check_lacks(calm, "exploded");
  const auto [by_medians, by_means] = counts(calm);
  CHECK(by_means ==
        static_cast<int>(agreement(e.comparison->numbers.where({{"quantity", "size"}}), 2.0).within));
  // One run of exp on concrete explodes at one level: its mean agrees with anything, and its median stays.
  double& value = value_of(e.results, {"concrete", 2, "exp"}, "size_mean", "0.1");
  const double before = std::exchange(value, 1e6);
  CHECK(counts(protocol_answer(&e, nullptr)).first == by_medians);
  value = before;
  for (Row& row : e.entries.rows)
    if (row.has({{"dataset", "concrete"}, {"method", "exp"}, {"alpha", "0.1"}}))
      row.set("size_std", 2.5 * row.number("size_mean"));
  e.comparison = compare_with(sample_reference(), e.results.experiment, e.entries);
  REQUIRE(number(*e.comparison, "concrete", "exp", "0.1", "size")["within_2_standard_errors"] == "yes");
  check_has(protocol_answer(&e, nullptr),
            {" 1 of the sizes that agree by means (exp on concrete) vary",
             fmt::format("Counted as misses they leave {} of 72 numbers.",
                         e.comparison->overall().count("within_2_standard_errors") - 1)});
}

TEST_CASE(
    "of published tables the rows of other data sets are not shown, and one that is not there is refused") {
  Results results = frontier_results();
  const std::string widths = "dataset,published_dataset,method,ours,alpha,coverage,width_mean,width_std",
                    sizes = page_beside(results, widths +
                                                     "\nset_2,two,Split,fixed,0.1,0.9,3,0.1\n"
                                                     "elsewhere,e,Third,,0.1,0.9,5,0.1\n");
  check_has(sizes, {"| data set | Split / our fixed |", "| set_2 | 1.500 / "});  // half-widths
  check_lacks(sizes, "Third");
  const std::string scores = page_beside(results,
                                         "dataset,method,alpha,winkler\nset_1,A,0.1,2\nset_2,A,0.1,2.9\n"
                                         "elsewhere,C,0.1,5\n");
  check_has(scores, "on 1 of 2 data sets; not on set_2 (" +
                        display(summarise(results, {"set_2", "adapt", "winkler", "0.1"}).mean, 4) +
                        " against 2.9000):");
  check_lacks(scores, "elsewhere");
  {  // What was not run is no loss; what fails is one.
    Results part = results;
    const auto of_adapt = [](const auto& item) {
      return item.first.dataset == "set_2" && item.first.method == "adapt";
    };
    std::erase_if(part.cells, of_adapt);
    const std::string csv = "dataset,method,alpha,winkler\nset_1,A,0.1,2\nset_2,A,0.1,2.8";
    check_has(page_beside(part, csv + "0\n"), "on 1 of 1 data set; left out: set_2 (not run):");
    part.failed[{"set_2", 0, "adapt"}] = {"diverged", "settings"};
    check_has(page_beside(part, csv + "00\n"), "on 1 of 2 data sets; not on set_2 (– against 2.8000):");
  }
  const std::string both = page_beside(results, widths + ",crps\nset_1,one,A,fixed,0.1,0.9,3,0.1,120.5\n");
  check_has(both, {"## Beside published sizes\n", "## Beside published CRPS\n"});
  CHECK(count(both, "Someone (2025).") == 1);
  results.experiment.reference.beside = "nowhere.csv";
  CHECK_REFUSED(page_of(results), "reference.beside 'nowhere.csv'");
}

TEST_CASE("numbers of a peer stand beside ours on the same splits") {
  Results results = frontier_results();
  {
    const Peers peers("set_1,0,split,0.1,0.5,2,0.9,1\n");
    const auto ours = [&](const char* metric) {
      return display(value_of(results, {"set_1", 0, "fixed"}, metric, "0.1"));
    };
    check_has(page_of(results), {"(peers.csv)", "| set_1 | 0.500 / 2.000 | " + ours("size_mean") + " / " +
                                                    ours("winkler") + " |"});
    check_lacks(page_of(results), "depend on their version");
    write_file("sample_frontier/peers.csv",
               "# The unit.\n# split: scikit-learn 1.2, <b>.\n" + read_file("sample_frontier/peers.csv"));
    check_has(page_of(results),
              "depend on their version and the processor: split: scikit-learn 1.2, \\<b\\>.\n");
  }
  {
    const Peers peers("set_1,0,<img src=x onerror=alert(9)>,0.1,0.5,2,0.9,1\n");
    check_has(page_of(results), "| data set | \\<img src=x onerror=alert(9)\\> |");
    check_lacks(page_of(results), " <img");
    results.experiment.methods.push_back("forest");
    check_lacks(peers_answer(results), "(<img");
  }
  check_lacks(page_of(results), "scikit-learn");
}

TEST_CASE(
    "uacqr.yaml and ibug.yaml have the data sets and shares of rows of the published scores beside them") {
  const fs::path folder = fs::path(LACP_SOURCE_DIR) / "experiments";
  for (const auto& [name, metric, methods] :
       {std::tuple("uacqr.yaml", "winkler", 8u), {"ibug.yaml", "crps", 4u}}) {
    CAPTURE(name);
    const Experiment e = load_experiment(folder / name);
    const Frame table = read_frame(folder / e.reference.beside);
    CHECK(table.rows.size() == e.datasets.size() * methods);
    const bool crps = e.evaluation.crps;
    for (const Row& row : table) {
      CHECK(std::ranges::count(e.datasets, row["dataset"]) == 1);
      CHECK(row.number(metric) > 0.0);
      const auto share = e.sample.find(row["dataset"]);
      if (!crps) CHECK(row.number("rows_share") == (share == e.sample.end() ? 1.0 : share->second));
    }
    CHECK(e.split.test * (1.0 - e.evaluation.calibration_share) ==
          near(crps ? 0.1 : 0.2, 1e-8));  // is scored
  }
}
