// adapt and its fixed powers, as `lacp run` and `lacp fit` show them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/random.hpp"
#include "lacp_program.hpp"
#include "analysis/results.hpp"

namespace {

/// A table whose errors grow with x, by a factor of e^{slope}, or not at all.
std::string table(double slope) {
  lacp::Stream stream(1);
  std::string text = "x,y\n";
  for (int i = 0; i < 1500; ++i) {
    const double x = stream.uniform();
    text += fmt::format("{},{}\n", x, 10 + x + 0.1 * std::exp(slope * x) * stream.normal());
  }
  return text;
}

}  // namespace

TEST_CASE(
    "cells have the θ of the method, or the one that was chosen; table, figures and report take all of them") {
  const TemporaryFolder results;
  const Ran run = lacp_program(quick_run(
      results.path(), {"--datasets", "cos", "--methods", "fixed,exp,adapt_25,adapt_100,adapt", "--set",
                       "training.objective=adaptation", "training.selection.criterion=winkler"}));
  REQUIRE_MESSAGE(run.status == 0, run.messages);
  const lacp::Results found = lacp::load_results(results / "smoke");
  CHECK(found.cells.size() == 10);
  for (const auto& [task, cell] : found.cells) {
    CAPTURE(to_text(task));
    const std::optional<double> theta = cell.value("adaptation");
    CHECK(theta.has_value() == cell.task.method.starts_with("adapt"));
    if (cell.task.method == "adapt_25") CHECK(theta == 0.25);
    if (theta) CHECK(std::ranges::count(std::vector<double>{0, 0.25, 0.5, 0.75, 1}, *theta) == 1);
    CHECK(std::isfinite(cell.value("winkler", "0.1").value()));
  }
  for (const char* command : {"table", "figures", "report"}) {
    const Ran made = lacp_program({command, (results / "smoke").string()});
    CHECK_MESSAGE(made.status == 0, made.messages);
  }
  CHECK(has(lacp::read_file(results / "smoke/table.csv"), "cos,adapt,0.05,2,"));
}

TEST_CASE("a fit says how far its sizes adapt") {
  const TemporaryFolder folder;
  const auto fitted = [&](double slope, const std::string& method) {
    lacp::write_file(folder / "t.csv", table(slope));
    const Ran ran = lacp_program({"fit", (folder / "t.csv").string(), "--target", "y", "--method", method,
                                  "--model", (folder / "m.lacp").string(), "--set", "training.epochs=15",
                                  "network.hidden=[16]", "training.learning_rate=0.003"});
    CHECK_MESSAGE(ran.status == 0, ran.messages);
    return ran.output;
  };
  CHECK(has(fitted(4.0, "adapt"), "\n  adaptation      1: sizes in proportion to the local error\n"));
  const Ran predicted = lacp_program({"evaluate", (folder / "m.lacp").string(), (folder / "t.csv").string()});
  CHECK_MESSAGE(predicted.status == 0, predicted.messages);
  CHECK(has(fitted(4.0, "adapt_75"),
            "\n  adaptation      0.75: sizes as the local error to the power of 0.75\n"));
  CHECK_FALSE(has(fitted(4.0, "exp"), "adaptation"));
  CHECK_FALSE(has(fitted(4.0, "fixed"), "adaptation"));
}

TEST_CASE("a method that has no place for the objective is refused before anything is computed") {
  const TemporaryFolder results;
  const Ran run = lacp_program(
      quick_run(results.path(), {"--methods", "exp,mixture", "--set", "training.objective=adaptation"}));
  CHECK(run.status == 2);
  CHECK(has(run.messages, "training: objective: found adaptation, which needs a method"));
  CHECK_FALSE(fs::exists(results / "smoke"));
}
