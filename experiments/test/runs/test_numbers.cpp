#include <cmath>
#include <functional>

#include "analysis/results.hpp"
#include "described_table.hpp"
#include "lacp/base/random.hpp"
#include "lacp_program.hpp"
#include "near.hpp"

// Data at the edge of what numbers can hold: a correct result or a clear refusal, never a NaN, never a size
// that nothing measured.

namespace {

using Row = std::vector<double>;

/// `rows` rows, the target last.
std::string csv_of(std::size_t rows, std::size_t columns, const std::function<Row(std::size_t)>& row) {
  std::string text;
  for (std::size_t i = 0; i < columns; ++i) text += fmt::format("x{},", i);
  text += "y\n";
  for (std::size_t i = 0; i < rows; ++i) text += fmt::format("{}\n", fmt::join(row(i), ","));
  return text;
}

/// Runs all methods on one data set, with quick trainings.
struct EdgeRun {
  TemporaryFolder root;
  Ran ran;
  std::vector<lacp::Cell> cells;

  explicit EdgeRun(const std::string& csv, const std::vector<std::string>& more = {}) {
    write_dataset(root / "datasets", "edge", csv);
    ran = lacp_program({"run", smoke_yaml.string(), "--datasets", "edge", "--results",
                        (root / "results").string(), "--datasets-folder", (root / "datasets").string(),
                        "--set", "network.hidden=[8, 8]", "training.epochs=3"},
                       more);
    for (const auto& [task, cell] : lacp::load_results(root / "results/smoke").cells) cells.push_back(cell);
  }

  /// All methods in both runs, and every number finite.
  void check_complete() const {
    check_ran(ran, 0);
    CHECK(cells.size() == 14);
    check_finite();
    check_outputs();
  }

  /// What a reader sees: tables and report, without a word for what is not a number.
  void check_outputs() const {
    const fs::path folder = root / "results/smoke";
    must_run({"table", folder.string()});
    must_run({"report", (root / "results").string()});
    for (const fs::path& file :
         {folder / "table.csv", folder / "table.tex", folder / "claims.csv", folder / "README.md"}) {
      std::string text = lacp::read_file(file);
      const std::string reason = "became nan";  // of a training that failed
      for (std::size_t at; (at = text.find(reason)) != std::string::npos;) text.erase(at, reason.size());
      check_lacks(text, {"nan ", "nan,", "-nan", "nan\n", "NaN", "{nan", "$nan"});
    }
  }

  void check_finite() const {
    for (const lacp::Cell& cell : cells)
      for (const lacp::Measurement& m : cell.values)
        CHECK_MESSAGE(std::isfinite(m.value), fmt::format("{} {} {}", cell.task.method, m.metric, m.alpha));
  }

  /// Smallest and largest mean size of a method over runs and levels.
  std::pair<double, double> sizes(std::string_view method) const {
    double low = HUGE_VAL, high = 0.0;
    for (const lacp::Cell& cell : cells)
      for (const char* alpha : {"0.05", "0.1", "0.32"})
        if (cell.task.method == method)
          low = std::min(low, *cell.value("size_mean", alpha)),
          high = std::max(high, *cell.value("size_mean", alpha));
    return {low, high};
  }

  double mean_of(std::string_view metric, std::string_view alpha) const {
    double sum = 0.0;
    for (const lacp::Cell& cell : cells) sum += *cell.value(metric, alpha);
    return sum / static_cast<double>(cells.size());
  }
};

/// A plain regression: three inputs, noise that grows with the first.
Row plain(lacp::Stream& stream) {
  const double a = stream.uniform(-1, 1), b = stream.uniform(-1, 1), c = stream.uniform(-1, 1);
  return {a, b, c, 5 + a + b * c + (0.1 + std::abs(a)) * stream.normal()};
}

}  // namespace

TEST_CASE("constant columns change nothing") {
  lacp::Stream stream(1);
  const EdgeRun with(csv_of(300, 5, [&](std::size_t) {
    const Row r = plain(stream);
    return Row{r[0], 7.0, r[1], 1e-300, r[2], r[3]};
  }));
  with.check_complete();
  lacp::Stream again(1);
  const EdgeRun without(csv_of(300, 3, [&](std::size_t) { return plain(again); }));
  without.check_complete();
  CHECK(with.sizes("fixed") == without.sizes("fixed"));
  CHECK(with.sizes("fixed").first > 0.0);
}

TEST_CASE("duplicated rows and zero residuals: log 0 is never a number in a table") {
  lacp::Stream stream(2);
  std::vector<Row> few;
  for (int i = 0; i < 5; ++i) few.push_back({static_cast<double>(i), std::round(stream.uniform(0, 9)) + 1});
  const EdgeRun run(csv_of(400, 1, [&](std::size_t i) { return few[i % few.size()]; }));
  run.check_complete();
  // Every neighbour is the same row, so predictions are exact and an interval is its middle.
  CHECK(run.sizes("fixed") == std::pair(0.0, 0.0));
  CHECK(run.mean_of("validity", "0.05") == 1.0);
}

TEST_CASE("some residuals are zero: sizes of the others are measured all the same") {
  lacp::Stream stream(3);
  const EdgeRun run(csv_of(400, 1, [&](std::size_t i) {
    const double x = static_cast<double>(i % 4);
    return Row{x, x < 2 ? 3.0 : 3.0 + stream.normal()};
  }));
  run.check_complete();
  CHECK(run.sizes("fixed").second > 0.5);
  CHECK(run.mean_of("validity", "0.1") > 0.85);
}

TEST_CASE("targets of 1e300 have the sizes of targets of 1") {
  lacp::Stream one(4), huge(4);
  const EdgeRun small(csv_of(300, 3, [&](std::size_t) { return plain(one); }));
  const EdgeRun large(csv_of(300, 3, [&](std::size_t) {
    Row row = plain(huge);
    row[3] *= 1e300;
    return row;
  }));
  small.check_complete();
  large.check_complete();
  CHECK(large.sizes("fixed").second == near_share(small.sizes("fixed").second, 1e-9));
}

TEST_CASE("targets of all magnitudes at once") {
  lacp::Stream stream(5);
  const EdgeRun run(csv_of(300, 3, [&](std::size_t i) {
    Row row = plain(stream);
    row[3] *= i % 3 == 0 ? 1e300 : i % 3 == 1 ? 1.0 : 1e-300;
    return row;
  }));
  run.check_finite();
  run.check_outputs();
  CHECK((run.ran.status == 0 || has(failures_in(run.root / "results/smoke"), "diverged")));
}

TEST_CASE("inputs of 1e300 and 1e-300") {
  lacp::Stream stream(6);
  const EdgeRun run(csv_of(300, 3, [&](std::size_t) {
    Row row = plain(stream);
    row[0] *= 1e300, row[1] *= 1e-300;
    return row;
  }));
  run.check_complete();
}

TEST_CASE("one column, and five thousand") {
  lacp::Stream stream(8);
  const EdgeRun one(csv_of(200, 1, [&](std::size_t) {
    const double x = stream.uniform(-1, 1);
    return Row{x, 3 + x + (0.1 + std::abs(x)) * stream.normal()};
  }));
  one.check_complete();
  const EdgeRun many(csv_of(300, 5000,
                            [&](std::size_t) {
                              Row row(5001);
                              for (double& value : row) value = stream.normal();
                              row.back() += 10.0;
                              return row;
                            }),
                     {"--runs", "1", "--methods", "exp,fixed"});
  CHECK_MESSAGE(many.ran.status == 0, many.ran.messages);
  CHECK(many.cells.size() == 2);
  many.check_finite();
  many.check_outputs();
  CHECK(many.sizes("fixed").first > 0.0);
  CHECK(many.sizes("exp").first > 0.0);
  CHECK(many.mean_of("validity", "0.32") == near(0.68, 0.25));  // of 30 points: three standard errors
}

TEST_CASE("Cauchy noise: coverage holds without moments, and a training that diverges says so") {
  lacp::Stream stream(9);
  const EdgeRun run(csv_of(1500, 1, [&](std::size_t) {
    const double x = stream.uniform(-1, 1);
    return Row{x, 100 + x + stream.normal() / stream.normal()};
  }));
  run.check_finite();
  run.check_outputs();
  CHECK(run.mean_of("validity", "0.1") == near(0.9, 0.05));
  if (run.ran.status != 0) {
    CHECK(run.ran.status == 1);
    const std::string failures = failures_in(run.root / "results/smoke");
    check_has(failures, {"diverged: the ", " in epoch "});
  } else {
    CHECK(run.cells.size() == 14);
  }
}

TEST_CASE(
    "a training that diverges is a recorded failure with its epoch and loss; the other tasks are kept") {
  lacp::Stream stream(11);
  const EdgeRun run(csv_of(300, 3, [&](std::size_t) { return plain(stream); }), diverging);
  CHECK(run.ran.status == 1);
  const std::string failures = failures_in(run.root / "results/smoke");
  CHECK_MESSAGE(count(failures, "training diverged: the ") == 12, failures);
  CHECK_MESSAGE(count(failures, " in epoch 1 of the selection") == 12, failures);
  check_has(failures, "the loss became ");
  for (const lacp::Cell& cell : run.cells) CHECK(cell.task.method == "fixed");
  CHECK(run.cells.size() == 2);
  run.check_outputs();
  const std::string table = lacp::read_file(run.root / "results/smoke/table.csv");
  CHECK_FALSE(has(table, "nan"));
  CHECK_MESSAGE(has(table, "edge,exp,0.05,0,,,"), table);  // no run, and so no size
}
