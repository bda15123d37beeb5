// What is compared run by run: an ablation, and `lacp compare A B`.
#include "common/message.hpp"
#include "report/analysis/pairs.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

void run(const fs::path& results, const std::string& name, const Words& more) {
  must_run(quick_run(results, {"--name", name, "--methods", "exp,fixed", "--set", "reference.file="}), more);
}

Ran compare(const fs::path& a, const fs::path& b, const std::string& format = "text") {
  return lacp_program({"compare", a, b, "--format", format});
}

}  // namespace

TEST_CASE("a change is named by the settings that differ, measured paired by run, and written") {
  const fs::path group = "sample_ablation/group";
  fs::remove_all(group);
  const auto two_sets = [](Experiment& e) {
    e.datasets = {"concrete", "energy_y1"}, e.keep_intervals.datasets.clear();
  };
  write_sample(group / "sample/sample", {}, two_sets);
  const Results changed = write_sample(group / "sample-doubled/sample", {},
                                       [&](Experiment& e) { two_sets(e), e.training.epochs = 77; });
  for (auto [task, cell] : changed.cells) {
    for (Measurement& m : cell.values) m.value *= task.method == "exp" && m.metric == "size_mean" ? 2.0 : 1.0;
    cell.commit = "ba9876543210";
    put_cell(changed.folder, cell);
  }
  const Ablation ablation = ablate(group);
  const Frame& rows = ablation.rows;

  const auto size_of = [&](const char* method) {
    return row_of(
        rows,
        {{"variant", "sample-doubled"}, {"dataset", "concrete"}, {"method", method}, {"alpha", "0.05"}});
  };
  const Row doubled = size_of("exp");
  CHECK(doubled["changed"] == "training.epochs: 50 → 77");
  CHECK(doubled.number("ratio") == near(2.0, 1e-12));  // the same runs, so without any spread
  CHECK(doubled.number("upper") - doubled.number("lower") < 1e-9);
  CHECK(doubled.number("size_mean") == near_share(2.0 * doubled.number("base_mean"), 1e-12));
  CHECK(size_of("erc").number("ratio") == near(1.0, 1e-12));
  CHECK(is_base(rows.rows.front()));
  CHECK(rows.size() == 2 * 2 * 7 * 3);

  write_ablation(ablation, "sample_ablation/written");
  CHECK(ablation.commits == std::set<std::string>{"ba9876543210"});
  CHECK(read_file("sample_ablation/written/ablation.csv")
            .starts_with("# Cells by lacp of commit ba9876543210.\n"));
  CHECK(to_text(read_frame("sample_ablation/written/ablation.csv")) == to_text(rows));
  check_has(read_file("sample_ablation/written/README.md"), {"training.epochs: 50 → 77", "**+100.0 %**"});
  fs::remove_all(group / "sample");  // the protocol
  CHECK_REFUSED(ablate(group), "is missing, which");
  CHECK_REFUSED(ablate("sample_ablation/nowhere"), "is not a folder");
}

TEST_CASE("two folders are compared by the tasks and runs that both have") {
  const TemporaryFolder results;
  run(results.path(), "mine", {"--runs", "3"});
  run(results.path(), "wide", {"--runs", "2", "--set", "network.hidden=[9]", "--datasets", "cos"});
  const Ran text = check_ran(compare(results / "mine", results / "wide"), 0, {},
                             {"Settings: network.hidden: [4] → [9].", "data set cos\n", "up to 2 pairs",
                              "over the runs that both have", "as before\n"});  // `fixed` has no network
  CHECK(text.messages == "");
  check_lacks(text.output, "data set concrete");
  for (const std::string& line : split_text(text.output, '\n'))
    if (!has(line, results.path().string())) CHECK_MESSAGE(text_width(line) <= 80, line);

  const Frame table = parse_frame(compare(results / "mine", results / "wide", "csv").output, "csv");
  CHECK(table.rows.size() == 2 * 3);
  const Results mine = load_results(results / "mine");
  CHECK(mine.synthetic == Words{"cos"});  // as the manifest of a run says
  CHECK(overlap_of(mine, "concrete") > 0.0);
  for (const Row& row : table) {
    CHECK(row.count("pairs") == 2);
    const auto sizes = by_run(mine, {"cos", row["method"], size_metric, row["alpha"]});
    CHECK(row.number("base_mean") == near_share(0.5 * (sizes.at(0) + sizes.at(1)), 1e-9));
  }
  CHECK(has(compare(results / "mine", results / "wide", "markdown").output, "| cos | exp | 0.05 | "));
}

TEST_CASE("compare says once what is not finished, has other units, or no task in common") {
  const TemporaryFolder results;
  run(results.path(), "mine", {"--runs", "1", "--datasets", "cos"});
  run(results.path(), "moved", {"--runs", "1", "--set", "seed=2", "--set", "split.sample={cos: 0.5}"});
  for (const char* name : {"mine", "moved"}) put_rows(results / name, {"cos", 0, "exp"}, "");
  const Ran text = check_ran(compare(results / "mine", results / "moved"), 0,
                             "mean |y| of other rows (seed: 1 → 2; split.sample: {} → ", "The seeds differ");
  CHECK(count(text.messages, "1 task is not finished") == 2);  // one of each
  run(results.path(), "other", {"--datasets", "concrete"});
  check_ran(compare(results / "mine", results / "other"), 2, "have no task in common");
}

TEST_CASE("sizes of joined parts are brought into the unit of the other folder") {
  const TemporaryFolder results;
  run(results.path(), "mine", {"--datasets", "concrete", "--runs", "2"});
  run(results.path(), "joined", {"--datasets", "concrete", "--runs", "2", "--set", "predictor.cross_fit=3"});
  CHECK_FALSE(fs::exists(results / "mine" / "units.csv"));
  const Frame units = read_frame(results / "joined" / "units.csv");
  REQUIRE(units.rows.size() == 2);
  // The exported target of a test row, times its unit, is the same in both.
  write_file(results / "joined.yaml", "based_on: " + smoke_yaml.string() + "\npredictor: {cross_fit: 3}\n");
  write_file(results / "stack.yaml", "based_on: joined.yaml\npredictor: {kind: stack}\n");
  const auto last_target = [&](const fs::path& yaml) {
    must_run({"export", yaml, "--datasets", "concrete", "--run", "1", "--output", results / "rows",
              "--datasets-folder", source_datasets});
    return read_frame(results / "rows" / "concrete.csv").numbers("y").back();
  };
  CHECK(last_target(results / "joined.yaml") * units.number(1, "mean_abs_y") ==
        near_share(last_target(smoke_yaml) * units.number(1, "mean_abs_y_proper"), 1e-9));
  CHECK(last_target(results / "stack.yaml") == last_target(results / "joined.yaml"));
  CHECK(units.number(1, "mean_abs_y") != units.number(1, "mean_abs_y_proper"));
  const Frame table = parse_frame(compare(results / "mine", results / "joined", "csv").output, "csv");
  const Results mine = load_results(results / "mine"), joined = load_results(results / "joined");
  double sum = 0.0;
  for (std::size_t r = 0; r < 2; ++r)
    sum += std::log(by_run(joined, {"concrete", "fixed", size_metric, "0.05"}).at(r) *
                    units.number(r, "mean_abs_y") / units.number(r, "mean_abs_y_proper") /
                    by_run(mine, {"concrete", "fixed", size_metric, "0.05"}).at(r));
  CHECK(row_of(table, {{"method", "fixed"}, {"alpha", "0.05"}}).number("ratio") ==
        near_share(std::exp(sum / 2.0), 1e-8));
  fs::remove(results / "joined" / "units.csv");
  check_ran(compare(results / "mine", results / "joined"), 2, "units.csv does not have concrete, run 0");
}

TEST_CASE("units that were edited or are of another seed are not used, and the next run writes them again") {
  const TemporaryFolder results;
  const Words one = {"--datasets", "concrete", "--runs", "1"},
              joined_parts = joined(one, {"--set", "predictor.cross_fit=3"});
  run(results.path(), "mine", one);
  run(results.path(), "joined", joined_parts);
  run(results.path(), "other", joined(joined_parts, {"seed=2"}));
  const fs::path file = results / "joined/units.csv";
  const std::string honest = read_file(file);
  const std::size_t at = honest.find("concrete,0,") + 11;
  write_file(file, honest.substr(0, at) + "9" + honest.substr(at));
  check_ran(compare(results / "mine", results / "joined"), 2, file.string() + ": was changed, or");
  run(results.path(), "joined", joined_parts);
  CHECK(read_file(file) == honest);

  write_file(file, read_file(results / "other/units.csv"));
  check_ran(compare(results / "mine", results / "joined"), 2, "units.csv does not have concrete, run 0");
  run(results.path(), "joined", joined_parts);
  CHECK(read_file(file) == honest);
}

TEST_CASE("folders that name a published table are still compared with it, one or two") {
  const TemporaryFolder results;
  for (const char* name : {"smoke", "two"})
    must_run(quick_run(results.path(), {"--datasets", "concrete", "--methods", "exp,fixed", "--name", name}));
  check_lacks(must_run({"compare", results / "smoke"}).output, "data set concrete\n");
  const std::string alone = read_file(results / "smoke/comparison.csv");
  check_ran(compare(results / "smoke", results / "two"), 0, {}, "data set concrete\n");
  CHECK(read_file(results / "smoke/comparison.csv") == alone);
  CHECK(fs::exists(results / "two/comparison.csv"));
}
