// `lacp compare`: beside the published table, beside the released program's runs, and two experiments run by
// run.
#include <cmath>

#include "common/message.hpp"
#include "lacp_program.hpp"
#include "near.hpp"
#include "report/analysis/comparison.hpp"
#include "report/analysis/pairs.hpp"
#include "report/tables.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

const Level level = Level::parse("0.05");

/// An entry of runs with these sizes, which all cover what they should.
Entry entry_with(const std::vector<double>& sizes) {
  std::vector<RunPair> runs;
  for (const double size : sizes) runs.push_back({runs.size(), size, 0.95});
  return entry_of("homes", "sigma", level, runs, sizes.size());
}

TableComparison compared(const Results& results) {
  return compare(table_entries(results), load_references(results).value(),
                 results.experiment.reference.names);
}

}  // namespace

TEST_CASE("the numbers of the first page follow from the files of runs and of Table 1") {
  const fs::path verdict = fs::path(LACP_SOURCE_DIR) / "results/verdict";
  const Results results = load_results(verdict / "release");
  const TableComparison release = compared(results), paper = compared(load_results(verdict / "paper")),
                        released = compare_released(load_references(results).value());
  const Agreement of_python = with_published(released), of_release = with_published(release),
                  of_paper = with_published(paper);
  CHECK((of_python.means == 84 && of_python.medians == 86));
  CHECK((of_release.means == 84 && of_release.medians == 88));
  CHECK((of_paper.means == 72 && of_paper.medians == 73));
  CHECK(of_release.sizes == 90);
  CHECK(with_released(release).means == 89);
  CHECK(with_released(release).different == 0);
  CHECK(with_released(paper).means == 59);
  CHECK(reproduces_released(with_released(release)) == Reproduction::yes);
  CHECK(reproduces_released(with_released(paper)) == Reproduction::no);
  CHECK(reproduces_published(of_release) == Reproduction::but_for_broken_runs);
  CHECK(reproduces_published(of_python) == Reproduction::but_for_broken_runs);
  CHECK(reproduces_published(of_paper) == Reproduction::no);
}

TEST_CASE("a run collapses or explodes beside the median, and one that covers little has collapsed") {
  CHECK_FALSE(entry_with({1.0, 1.1, 0.9, 0.002, 19.0}).is_broken());
  CHECK(entry_with({1.0, 1.1, 0.9, 0.0009, 1.0}).collapsed == 1);
  CHECK(entry_with({1.0, 1.1, 0.9, 21.0, 1.0}).exploded == 1);
  const Entry little = entry_of("homes", "sigma", level, {{0, 1.0, 0.47}, {1, 1.0, 0.48}}, 2);
  CHECK(little.collapsed == 1);
  const Entry diverged = entry_of("homes", "sigma", level, {{0, 1.0, 0.95}, {1, NAN, NAN}}, 3);
  CHECK(diverged.runs == 1);
}

TEST_CASE("means, medians and ranks of two samples") {
  const Sample a = sample_of({1.0, 2.0, 3.0, 4.0, 1e6}), b = sample_of({1.1, 2.1, 3.1, 4.1, 5.1});
  const Difference d = difference(a, b);
  CHECK(d.agrees());  // one run makes the mean agree with anything
  CHECK(d.z_medians == near(-0.1 / std::hypot(a.median_error, b.median_error), 1e-12));
  CHECK(d.ranks_p == mann_whitney_p(a.values, b.values));
  const Sample paper = published_sample(3.0, 0.5, 5);
  CHECK(paper.median == 3.0);
  CHECK(paper.median_error == near(0.25, 1e-12));
  CHECK(std::isnan(difference(a, paper).ranks_p));
}

TEST_CASE("nine of ten reproduce; a broken row is a miss against a published table") {
  Agreement a{.sizes = 90, .means = 81, .medians = 81, .sound_means = 81, .sound_medians = 81};
  CHECK(reproduces_published(a) == Reproduction::yes);
  a.sound_means = 80;
  CHECK(reproduces_published(a) == Reproduction::but_for_broken_runs);
  a.medians = 80;
  CHECK(reproduces_published(a) == Reproduction::no);
  CHECK(reproduces_released(a) == Reproduction::no);
}

TEST_CASE("what is missing or infinite does not agree, and is in comparison.csv") {
  Results results = write_sample("sample_comparison", {.incomplete = true, .infinite = true});
  const TableComparison c = compared(results);
  CHECK(c.entries.size() == 36);
  CHECK_FALSE(c.is_whole());
  const Frame csv = parse_frame(comparison_csv(c), "comparison.csv");
  CHECK(csv.size() == 72);
  const auto number = [&](const char* dataset, const char* method, const char* quantity) {
    return row_of(csv, {{"dataset", dataset}, {"method", method}, {"alpha", "0.05"}, {"quantity", quantity}});
  };
  CHECK(number("energy_y1", "linear", "size")["within_2_standard_errors"] == "");
  CHECK(number("energy_y1", "linear", "validity")["within_2_standard_errors"] != "");
  CHECK(number("energy_y1", "linear", "size")["reference_dataset"] == "energy");
  CHECK(number("concrete", "erc_error_fit", "size").count("ours_runs") == 0);
  CHECK(number("concrete", "erc", "size").count("ours_diverged") == 2);
  CHECK(number("concrete", "erc", "size")["released_mean"] == "");
  results.experiment.reference.file = "nowhere.csv";
  CHECK_REFUSED(load_references(results), "no such file 'nowhere.csv'");
  results.experiment.reference.file = "";
  CHECK_FALSE(load_references(results).has_value());
}

TEST_CASE("an experiment is set beside runs of another program, which may have diverged") {
  const TemporaryFolder folder;
  const Results results =
      write_sample(folder / "mine", {}, [](Experiment& e) { e.reference.runs = "runs.csv"; });
  std::string runs = runs_csv(results);
  CHECK(runs.starts_with("dataset,run,method,alpha,size,validity\nenergy_y1,0,erc_error_fit,0.05,0."));
  for (std::size_t at = runs.find("energy_y1"); at != runs.npos; at = runs.find("energy_y1", at))
    runs.replace(at, 9, "energy");  // as the published table calls it
  write_file(folder / "mine/runs.csv", runs + "energy,5,exp,0.05,,\n");
  const TableComparison c = compared(results);
  const Agreement agreement = with_released(c);
  CHECK((agreement.sizes == 36 && agreement.means == 36 && agreement.medians == 36));
  CHECK(agreement.different == 0);
  const Frame csv = parse_frame(comparison_csv(c), "comparison.csv");
  const Row& exp = row_of(csv, {{"dataset", "energy_y1"}, {"method", "exp"}, {"alpha", "0.05"}});
  CHECK(exp.count("released_runs") == 5);
  CHECK(exp.count("released_diverged") == 1);
  CHECK(exp.number("mann_whitney_p") == 1.0);
  CHECK(has(comparison_tex(results, c), "& paper & released & ours"));
}

TEST_CASE("a level that the published table does not have leaves its columns empty, not those of the next") {
  const Results results = write_sample("sample_comparison", {}, [](Experiment& e) {
    e.levels.insert(e.levels.begin() + 1, Level::parse("0.07"));
  });
  const TableComparison c = compared(results);
  const std::string tex = comparison_tex(results, c);
  const std::size_t row = tex.find("\\texttt{fixed}", tex.find("concrete"));
  const std::vector<std::string> cells = split_text(tex.substr(row, tex.find("\\\\", row) - row), '&');
  REQUIRE(cells.size() == 1 + 4 * 2);
  CHECK(trim(cells[3]) == "");
  const Entry* last =
      find_entry(load_references(results)->published, "concrete", "fixed", Level::parse("0.32"));
  CHECK(trim(cells[7]) == fmt::format("${:.3f}$", last->size.moments.mean));
}

// ---- Two experiments, run by run.

namespace {

void run(const fs::path& results, const std::string& name, const Words& more) {
  must_run(quick_run(results, {"--name", name, "--methods", "exp,fixed", "--set", "reference.file="}), more);
}

Ran compare_folders(const fs::path& a, const fs::path& b) { return lacp_program({"compare", a, b}); }

}  // namespace

TEST_CASE("a changed setting is measured paired by run; what it cannot touch is as before") {
  const Results base = write_sample("sample_pairs/sample");
  Results changed = base;
  changed.experiment.training.epochs = 77;
  change_values(changed, "size_mean", [](const Task& task, Measurement& m) {
    if (task.method == "exp") m.value *= task.run % 2 == 0 ? 2.0 : 2.1;
  });
  const std::vector<SizeRatio> ratios = shared_sizes(base, changed);
  CHECK(ratios.size() == 4 * 7 * 3);
  for (const SizeRatio& r : ratios) {
    CHECK(r.is_touched() == (r.method == "exp"));
    if (!r.is_touched()) continue;
    CHECK(r.ratio.mean == near_share(std::pow(2.0, 0.6) * std::pow(2.1, 0.4), 1e-9));
    CHECK(r.changed.mean > 1.9 * r.base.mean);
    CHECK(r.p_holm < 0.001);
  }
}

TEST_CASE("two folders are compared by the tasks and runs that both have") {
  const TemporaryFolder results;
  run(results.path(), "mine", {"--runs", "3"});
  run(results.path(), "wide", {"--runs", "2", "--set", "network.hidden=[9]", "--datasets", "cos"});
  const Ran text = check_ran(compare_folders(results / "mine", results / "wide"), 0, {},
                             {"network.hidden: [4] → [9]", "data set cos\n", "up to 2 pairs",
                              "as before\n"});  // `fixed` has no network
  CHECK(text.messages == "");
  check_lacks(text.output, "data set concrete");
  const Results mine = load_results(results / "mine");
  CHECK(mine.synthetic == Words{"cos"});  // as the manifest of a run says
  for (const SizeRatio& r : shared_sizes(mine, load_results(results / "wide"))) {
    CHECK(r.ratio.n == 2);
    const ByRun sizes = by_run(mine, {"cos", r.method, size_metric, r.level.text()});
    CHECK(r.base.mean == near_share(0.5 * (sizes.at(0) + sizes.at(1)), 1e-12));
  }
}

TEST_CASE("compare says what is not finished, has other units, or no task in common") {
  const TemporaryFolder results;
  run(results.path(), "mine", {"--runs", "1", "--datasets", "cos"});
  run(results.path(), "moved", {"--runs", "1", "--set", "seed=2"});
  for (const char* name : {"mine", "moved"}) put_rows(results / name, {"cos", 0, "exp"}, "");
  const Ran text =
      check_ran(compare_folders(results / "mine", results / "moved"), 0, "of other rows (seed: 1 → 2)");
  CHECK(count(text.messages, "1 task not finished") == 2);  // one of each
  run(results.path(), "other", {"--datasets", "concrete"});
  check_ran(compare_folders(results / "mine", results / "other"), 2, "no task in common");
}
