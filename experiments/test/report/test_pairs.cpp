// What is compared run by run: an ablation, and `lacp compare A B`.
#include <cmath>

#include "analysis/pairs.hpp"
#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "near.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

/// A variant of the sample protocol in which the sizes of one method are `factor` times as large, and in odd
/// runs `odd` times that.
struct Variant {
  std::function<void(Experiment&)> change = {};
  std::string method = "exp";
  double factor = 1.0, odd = 1.0;
};

void write_variant(const fs::path& folder, const Variant& variant) {
  const Results results = write_sample(folder, {}, variant.change);
  for (auto [task, cell] : results.cells) {
    if (task.method != variant.method) continue;
    for (Measurement& m : cell.values)
      if (m.metric == "size_mean") m.value *= variant.factor * (task.run % 2 == 1 ? variant.odd : 1.0);
    put_cell(folder, cell);
  }
}

void train_longer(Experiment& e) { e.training.epochs = 77; }

const Row& size_of(const Frame& rows, std::string_view variant, std::string_view method) {
  return row_of(rows, {{"variant", variant}, {"dataset", "concrete"}, {"method", method}, {"alpha", "0.05"}});
}

void run(const fs::path& results, const std::string& name, const std::vector<std::string>& more) {
  std::vector<std::string> options =
      joined({"--name", name, "--methods", "exp,fixed", "--set", "reference.file="}, more);
  must_run(quick_run(results, options));
}

Ran compare(const fs::path& a, const fs::path& b, const std::string& format = "text") {
  return lacp_program({"compare", a.string(), b.string(), "--format", format});
}

}  // namespace

TEST_CASE("a change is named by the settings that differ, measured paired by run, and written") {
  const fs::path group = "sample_ablation/group";
  fs::remove_all(group);
  write_sample(group / "sample/sample");
  write_variant(group / "sample-doubled/sample", {.change = train_longer, .method = "exp", .factor = 2.0});
  const Frame rows = ablate(group);

  const Row& doubled = size_of(rows, "sample-doubled", "exp");
  CHECK(doubled["changed"] == "training.epochs: 50 → 77");
  CHECK(doubled.number("ratio") == near(2.0, 1e-12));  // the same runs, so without any spread
  CHECK(doubled.number("upper") - doubled.number("lower") < 1e-9);
  CHECK(doubled.number("size_mean") == near_share(2.0 * doubled.number("base_mean"), 1e-12));
  CHECK(size_of(rows, "sample-doubled", "erc").number("ratio") == near(1.0, 1e-12));
  CHECK(is_base(rows.rows.front()));
  CHECK(rows.rows.front()["changed"].empty());
  CHECK(rows.size() == 2 * 4 * 7 * 3);

  const fs::path folder = "sample_ablation/written";
  write_ablation(rows, folder);
  CHECK(to_text(read_frame(folder / "ablation.csv")) == to_text(rows));
  check_has(read_file(folder / "README.md"), {"training.epochs: 50 → 77", "**+100.0 %**"});
}

TEST_CASE("the page names what differs, and what calms the error fit") {
  const fs::path group = "sample_ablation/spread";
  fs::remove_all(group);
  // The protocol: every other run of the error fit is far off.
  write_variant(group / "sample/sample", {.method = "erc_error_fit", .odd = 5.0});
  write_variant(group / "sample-calm/sample",
                {.change = [](Experiment& e) { e.transformation.gamma = 0.01; }});
  write_variant(group / "sample-larger/sample",
                {.change = train_longer, .method = "erc_error_fit", .factor = 1.5, .odd = 5.1});
  const Frame rows = ablate(group);

  const std::string summary = ablation_summary(rows);
  CHECK(has(summary, "`transformation.gamma: 1e-08 → 0.01` in `sample`"));
  CHECK_FALSE(has(summary, "epochs"));
  const std::string page = ablation_document(rows);
  check_has(page, {"What makes `erc_error_fit` unstable", summary,
                   "| training.epochs: 50 → 77 | concrete | erc (error fit) |"});
  CHECK_FALSE(has(page, "| training.epochs: 50 → 77 | concrete | exp |"));
}

TEST_CASE("a missing protocol or folder is an error that says so") {
  const fs::path group = "sample_ablation/alone";
  fs::remove_all(group);
  write_sample(group / "variant/sample");
  CHECK_REFUSED(ablate(group), "is missing, which");
  CHECK_REFUSED(ablate("sample_ablation/nowhere"), "is not a folder");
}

TEST_CASE("two folders are compared by the tasks that both have, paired by run") {
  const TemporaryFolder results;
  run(results.path(), "mine", {"--runs", "3"});
  run(results.path(), "wide", {"--runs", "3", "--set", "network.hidden=[9]", "--datasets", "cos"});
  const Ran text = compare(results / "mine", results / "wide");
  CHECK(text.status == 0);
  CHECK(text.messages == "");
  check_has(text.output, {"Settings: network.hidden: [4] → [9].", "data set cos\n"});
  CHECK_FALSE(has(text.output, "data set concrete"));
  CHECK(has(text.output, "over up to 3 pairs"));
  CHECK(has(text.output, "as before\n"));  // `fixed` has no network
  for (const std::string& line : split_text(text.output, '\n'))
    if (!has(line, results.path().string())) CHECK_MESSAGE(text_width(line) <= 80, line);

  const Frame table = parse_frame(compare(results / "mine", results / "wide", "csv").output, "csv");
  CHECK(table.rows.size() == 2 * 3);
  for (const Row& row : table) {
    CHECK(row.number("lower") <= row.number("ratio"));
    CHECK(row.count("pairs") == 3);
  }
  CHECK(has(compare(results / "mine", results / "wide", "markdown").output, "| cos | exp | 0.05 | "));
}

TEST_CASE("compare says once what is not finished, and that other rows make other units") {
  const TemporaryFolder results;
  run(results.path(), "mine", {"--runs", "1"});
  run(results.path(), "moved", {"--runs", "1", "--set", "seed=2", "--set", "split.sample={cos: 0.5}"});
  for (const char* name : {"mine", "moved"}) put_rows(results / name, {"cos", 0, "exp"}, "");
  const Ran text = compare(results / "mine", results / "moved");
  CHECK(text.status == 0);
  CHECK(count(text.messages, "1 task is not finished") == 2);  // one of each
  check_has(text.messages,
            "sizes are in units of the mean |y| of other rows (seed: 1 → 2; split.sample: {} → ");
}

TEST_CASE("sizes are means over the runs that the change is of") {
  const TemporaryFolder results;
  run(results.path(), "mine", {"--runs", "3", "--datasets", "cos"});
  run(results.path(), "wide", {"--runs", "2", "--datasets", "cos", "--set", "network.hidden=[9]"});
  const Frame table = parse_frame(compare(results / "mine", results / "wide", "csv").output, "csv");
  const Results mine = load_results(results / "mine");
  for (const Row& row : table) {
    const auto sizes = by_run(mine, {"cos", row["method"], size_metric, row["alpha"]});
    CHECK(row.number("base_mean") == near_share(0.5 * (sizes.at(0) + sizes.at(1)), 1e-9));
    CHECK(row.count("base_runs") == 2);
  }
  CHECK(has(compare(results / "mine", results / "wide").output, "over the runs that both have"));
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
    must_run({"export", yaml.string(), "--datasets", "concrete", "--run", "1", "--output",
              (results / "rows").string(), "--datasets-folder",
              (fs::path(LACP_SOURCE_DIR) / "datasets").string()});
    const Frame rows = read_frame(results / "rows" / "concrete.csv");
    CHECK(rows.rows.size() == 1030);
    CHECK(count(read_file(results / "rows/concrete.csv"), "\nproper,") >= 412);
    return rows.number(rows.rows.size() - 1, "y");
  };
  CHECK(last_target(results / "joined.yaml") * units.number(1, "mean_abs_y") ==
        near_share(last_target(smoke_yaml) * units.number(1, "mean_abs_y_proper"), 1e-9));
  CHECK(last_target(results / "stack.yaml") == last_target(results / "joined.yaml"));
  const double factor = units.number(1, "mean_abs_y") / units.number(1, "mean_abs_y_proper");
  CHECK(factor != 1.0);
  const Frame table = parse_frame(compare(results / "mine", results / "joined", "csv").output, "csv");
  const Results mine = load_results(results / "mine"), joined = load_results(results / "joined");
  double sum = 0.0;
  for (std::size_t r = 0; r < 2; ++r)
    sum += std::log(by_run(joined, {"concrete", "fixed", size_metric, "0.05"}).at(r) *
                    units.number(r, "mean_abs_y") / units.number(r, "mean_abs_y_proper") /
                    by_run(mine, {"concrete", "fixed", size_metric, "0.05"}).at(r));
  CHECK(row_of(table, {{"method", "fixed"}, {"alpha", "0.05"}}).number("ratio") ==
        near_share(std::exp(sum / 2.0), 1e-8));
  CHECK(has(compare(results / "mine", results / "joined").output, "All sizes are in the unit of"));
  fs::remove(results / "joined" / "units.csv");
  check_ran(compare(results / "mine", results / "joined"), 2,
            "its units.csv does not have concrete, run 0; `lacp run`");
}

TEST_CASE("folders without a common task are refused, and other seeds are told") {
  const TemporaryFolder results;
  run(results.path(), "mine", {"--datasets", "cos"});
  run(results.path(), "other", {"--datasets", "concrete"});
  check_ran(compare(results / "mine", results / "other"), 2,
            "have no task in common that is done in both: the first has the data sets cos");
  run(results.path(), "seeded", {"--datasets", "cos", "--set", "seed=2"});
  CHECK(has(compare(results / "mine", results / "seeded").output, "The seeds differ"));
}

TEST_CASE("folders that name a published table are still compared with it, one or two") {
  const TemporaryFolder results;
  must_run(quick_run(results.path(), {"--datasets", "concrete"}));
  must_run(quick_run(results.path(), {"--datasets", "concrete", "--name", "two"}));
  const Ran one = check_ran(lacp_program({"compare", (results / "smoke").string()}), 0, {},
                            "numbers within 2 standard errors");
  CHECK_FALSE(has(one.output, "data set concrete\n"));
  const std::string alone = read_file(results / "smoke/comparison.csv");
  check_ran(compare(results / "smoke", results / "two"), 0, {}, "data set concrete\n");
  CHECK(read_file(results / "smoke/comparison.csv") == alone);
  CHECK(fs::exists(results / "two/comparison.csv"));
}
