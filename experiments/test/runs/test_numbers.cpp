#include <cmath>
#include <functional>
#include <regex>

#include "described_table.hpp"
#include "lacp/base/random.hpp"
#include "lacp_program.hpp"
#include "near.hpp"
#include "report/analysis/results.hpp"

// Data at the edge of what numbers can hold: a correct result or a clear refusal, never a NaN, never a size
// that nothing measured.

namespace {

using Numbers = std::vector<double>;

/// `rows` rows, the target last.
std::string csv_of(std::size_t rows, std::size_t columns, const std::function<Numbers(std::size_t)>& row) {
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
  lacp::Results results;

  explicit EdgeRun(const std::string& csv, const std::vector<std::string>& more = {}) {
    write_dataset(root / "datasets", "edge", csv);
    ran = lacp_program({"run", smoke_yaml.string(), "--datasets", "edge", "--results",
                        (root / "results").string(), "--datasets-folder", (root / "datasets").string(),
                        "--set", "network.hidden=[8, 8]", "training.epochs=3"},
                       more);
    results = lacp::load_results(root / "results/smoke");
  }

  /// All methods in both runs, and every number finite.
  void check_complete() const {
    check_ran(ran, 0);
    CHECK(results.cells.size() == 14);
    check_finite();
    check_outputs();
  }

  /// What a reader sees: tables and report, without a word for what is not a number.
  void check_outputs() const {
    const fs::path folder = root / "results/smoke";
    must_run({"table", folder.string()});
    must_run({"report", (root / "results").string()});
    const std::regex reason("became nan");  // of a training that failed
    for (const char* name : {"table.csv", "table.tex", "claims.csv", "README.md"})
      check_lacks(std::regex_replace(lacp::read_file(folder / name), reason, ""),
                  {"nan ", "nan,", "-nan", "nan\n", "NaN", "{nan", "$nan"});
  }

  void check_finite() const {
    for (const auto& [task, cell] : results.cells)
      for (const lacp::Measurement& m : cell.values)
        CHECK_MESSAGE(std::isfinite(m.value), task.method, " ", m.metric, " ", m.alpha);
  }

  /// Mean size of a method.
  double size(std::string_view method) const {
    return lacp::summarise(results, {"edge", method, "size_mean", "0.1"}).mean;
  }

  double mean_of(std::string_view metric, std::string_view alpha) const {
    double sum = 0.0;
    for (const auto& [task, cell] : results.cells) sum += *cell.value(metric, alpha);
    return sum / static_cast<double>(results.cells.size());
  }
};

/// A plain regression: three inputs, noise that grows with the first.
Numbers regression(lacp::Stream& stream) {
  const double a = stream.uniform(-1, 1), b = stream.uniform(-1, 1), c = stream.uniform(-1, 1);
  return {a, b, c, 5 + a + b * c + (0.1 + std::abs(a)) * stream.normal()};
}

}  // namespace

TEST_CASE("constant columns change nothing") {
  lacp::Stream stream(1);
  const EdgeRun with(csv_of(300, 5, [&](std::size_t) {
    const Numbers r = regression(stream);
    return Numbers{r[0], 7.0, r[1], 1e-300, r[2], r[3]};
  }));
  with.check_complete();
  lacp::Stream again(1);
  const EdgeRun without(csv_of(300, 3, [&](std::size_t) { return regression(again); }));
  without.check_complete();
  CHECK(with.size("fixed") == without.size("fixed"));
  CHECK(with.size("fixed") > 0.0);
}

TEST_CASE("residuals of zero, all or some: log 0 is never a number in a table") {
  lacp::Stream stream(2);
  std::vector<Numbers> few;
  for (int i = 0; i < 5; ++i) few.push_back({static_cast<double>(i), std::round(stream.uniform(0, 9)) + 1});
  const EdgeRun all(csv_of(400, 1, [&](std::size_t i) { return few[i % few.size()]; }));
  all.check_complete();
  // Every neighbour is the same row, so predictions are exact and an interval is its middle.
  CHECK(all.size("fixed") == 0.0);
  CHECK(all.mean_of("validity", "0.05") == 1.0);
  const EdgeRun some(csv_of(400, 1, [&](std::size_t i) {
    const double x = static_cast<double>(i % 4);
    return Numbers{x, x < 2 ? 3.0 : 3.0 + stream.normal()};
  }));
  some.check_complete();
  CHECK(some.size("fixed") > 0.3);  // sizes of the others are measured all the same
  CHECK(some.mean_of("validity", "0.1") > 0.85);
}

TEST_CASE("targets of 1e300 have the sizes of targets of 1, and inputs may be as far from it") {
  lacp::Stream one(4), huge(4), stream(6);
  const EdgeRun small(csv_of(300, 3, [&](std::size_t) { return regression(one); }));
  const EdgeRun large(csv_of(300, 3, [&](std::size_t) {
    Numbers row = regression(huge);
    row[3] *= 1e300;
    return row;
  }));
  small.check_complete();
  large.check_complete();
  CHECK(large.size("fixed") == near_share(small.size("fixed"), 1e-9));
  EdgeRun(csv_of(300, 3, [&](std::size_t) {
    Numbers row = regression(stream);
    row[0] *= 1e300, row[1] *= 1e-300;
    return row;
  })).check_complete();
  // Targets of all magnitudes at once.
  const EdgeRun mixed(csv_of(300, 3, [&](std::size_t i) {
    Numbers row = regression(stream);
    row[3] *= i % 3 == 0 ? 1e300 : i % 3 == 1 ? 1.0 : 1e-300;
    return row;
  }));
  mixed.check_finite();
  mixed.check_outputs();
  CHECK((mixed.ran.status == 0 || has(failures_in(mixed.root / "results/smoke"), "diverged")));
}

TEST_CASE("one column, and five thousand") {
  lacp::Stream stream(8);
  const EdgeRun one(csv_of(200, 1, [&](std::size_t) {
    const double x = stream.uniform(-1, 1);
    return Numbers{x, 3 + x + (0.1 + std::abs(x)) * stream.normal()};
  }));
  one.check_complete();
  const EdgeRun many(csv_of(300, 5000,
                            [&](std::size_t) {
                              Numbers row(5001);
                              for (double& value : row) value = stream.normal();
                              row.back() += 10.0;
                              return row;
                            }),
                     {"--runs", "1", "--methods", "exp,fixed"});
  check_ran(many.ran, 0);
  CHECK(many.results.cells.size() == 2);
  many.check_finite();
  many.check_outputs();
  for (const char* method : {"fixed", "exp"}) CHECK(many.size(method) > 0.0);
  CHECK(many.mean_of("validity", "0.32") == near(0.68, 0.25));  // of 30 points: three standard errors
}

TEST_CASE("Cauchy noise: coverage holds without moments, and a training that diverges says so") {
  lacp::Stream stream(9);
  const EdgeRun run(csv_of(1500, 1, [&](std::size_t) {
    const double x = stream.uniform(-1, 1);
    return Numbers{x, 100 + x + stream.normal() / stream.normal()};
  }));
  run.check_finite();
  run.check_outputs();
  CHECK(run.mean_of("validity", "0.1") == near(0.9, 0.05));
  if (run.ran.status == 1)
    check_has(failures_in(run.root / "results/smoke"), {"diverged: the ", " in epoch "});
  else
    CHECK(run.results.cells.size() == 14);
}

TEST_CASE(
    "a training that diverges is a recorded failure with its epoch and loss; the other tasks are kept") {
  lacp::Stream stream(11);
  const EdgeRun run(csv_of(300, 3, [&](std::size_t) { return regression(stream); }), diverging);
  CHECK(run.ran.status == 1);
  const std::string failures = failures_in(run.root / "results/smoke");
  for (const char* part : {"training diverged: the ", " in epoch 1 of the selection"})
    CHECK_MESSAGE(count(failures, part) == 12, failures);
  check_has(failures, "the loss became ");
  CHECK(run.results.cells.size() == 2);  // of fixed
  run.check_outputs();
  check_has(lacp::read_file(run.root / "results/smoke/table.csv"), "edge,exp,0.05,0,,,");  // no run, no size
}
