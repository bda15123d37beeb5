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

  explicit EdgeRun(const std::string& csv) {
    write_dataset(root / "datasets", "edge", csv);
    ran = lacp_program({"run", smoke_yaml.string(), "--datasets", "edge", "--results",
                        (root / "results").string(), "--datasets-folder", (root / "datasets").string(),
                        "--set", "network.hidden=[8, 8]", "training.epochs=3"});
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
    for (const char* name : {"table.csv", "table.tex", "README.md"})
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

TEST_CASE("targets of 1e300 have the sizes of targets of 1") {
  lacp::Stream one(4), huge(4);
  const EdgeRun small(csv_of(300, 3, [&](std::size_t) { return regression(one); }));
  const EdgeRun large(csv_of(300, 3, [&](std::size_t) {
    Numbers row = regression(huge);
    row[3] *= 1e300;
    return row;
  }));
  small.check_complete();
  large.check_complete();
  CHECK(large.size("fixed") == near_share(small.size("fixed"), 1e-9));
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
    check_ran(lacp_program({"status", run.root / "results/smoke"}), 0, {}, {"diverged: the ", " in epoch "});
  else
    CHECK(run.results.cells.size() == 14);
}
