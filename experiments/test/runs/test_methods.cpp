// Methods in the program: every one runs, is verified, and can be fitted, predicted with and evaluated.
#include <algorithm>
#include <cmath>

#include "commands/program.hpp"
#include "experiment/settings/experiment.hpp"
#include "experiment/store/cells.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/paper/classes/make_method.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"
#include "report/analysis/results.hpp"
#include "report/report.hpp"

namespace {

const std::vector<std::string> rows = {"knn_error", "mondrian", "cqr", "ml", "forest"};

}  // namespace

TEST_CASE("every method runs in both modes of evaluation, with the same bytes for any number of threads") {
  for (const std::string mode : {"halves", "leave_one_out"}) {
    CAPTURE(mode);
    const TemporaryFolder root;
    must_run(quick_run(
        root.path(), {"--set", "evaluation.mode=" + mode, "--methods", lacp::join(lacp::method_names(), ","),
                      "--datasets", "cos", "--runs", "1", "--jobs", "3", "--quiet"}));
    for (const std::string& method : lacp::method_names()) {
      CAPTURE(method);
      const auto cell = found_in(root / "smoke", {"cos", 0, method}).cell;
      REQUIRE(cell.has_value());
      for (const std::string alpha : {"0.05", "0.1", "0.32"}) {
        // 200 points, or 100 calibrated by 100: three standard deviations at 0.32 are 0.2.
        CHECK(cell->value("validity", alpha).value() > 1.0 - std::stod(alpha) - 0.2);
        CHECK(cell->value("winkler", alpha).value() > 0.0);
        CHECK(cell->value("crossed", alpha).has_value() == (method == "cqr"));
        if (method != "mondrian") CHECK(std::isfinite(cell->value("size_mean", alpha).value()));
      }
    }
    const lacp::Frame intervals = lacp::read_frame(root / "smoke/intervals/cos.csv");
    CHECK(intervals.header() == std::vector<std::string>{"method", "row", "x", "y", "f", "half_width",
                                                         "truth", "sigma", "below", "above"});
    for (const lacp::Row& row : intervals.where({{"method", "cqr"}})) CHECK(row["above"] != "");
    must_run({"verify", (root / "smoke").string(), "--jobs", "1"});  // each cell again, byte for byte
  }
}

TEST_CASE("every row can be fitted, predicted with and evaluated") {
  const TemporaryFolder folder;
  const std::string table = source_datasets + "/concrete.csv", model = (folder / "m.lacp").string(),
                    out = (folder / "out.csv").string();
  for (const std::string& method : rows) {
    CAPTURE(method);
    must_run({"fit", table, "--target", "compressive_strength", "--method", method, "--model", model,
              "--coverage", "0.9,0.68", "--quiet", "--set", "training.epochs=3", "network.hidden=[8]"});
    must_run({"predict", model, table, "--output", out, "--quiet"});
    CHECK(lacp::read_frame(out).rows.size() == 1030);
    CHECK_FALSE(has(lacp::read_file(out), "nan"));
    check_ran(lacp_program({"evaluate", model, table, "--quiet"}), 0, {}, "0.32");
  }
}

TEST_CASE("cells have the θ that was chosen; table, figures and report take it") {
  const TemporaryFolder results;
  must_run(quick_run(results.path(), {"--datasets", "cos", "--methods", "fixed,exp,adapt"}));
  const lacp::Results found = lacp::load_results(results / "smoke");
  CHECK(found.cells.size() == 6);
  for (const auto& [task, cell] : found.cells) {
    CAPTURE(to_text(task));
    const std::optional<double> theta = cell.value("adaptation");
    CHECK(theta.has_value() == (cell.task.method == "adapt"));
    if (theta) CHECK(std::ranges::count(std::vector<double>{0, 0.25, 0.5, 0.75, 1}, *theta) == 1);
    CHECK(std::isfinite(cell.value("winkler", "0.1").value()));
  }
  for (const char* command : {"table", "figures", "report"})
    must_run({command, (results / "smoke").string()});
  CHECK(has(lacp::read_file(results / "smoke/table.csv"), "cos,adapt,0.05,2,"));
}

// A method of your own: one struct and one line, and it runs and stands in the table like the others.

namespace {

/// The example of lib/README.md: s = softplus(g).
struct Softplus {
  explicit Softplus(const lacp::TransformationOptions&) {}
  double log_scale(double g) const { return std::log(std::log1p(std::exp(g))); }
  double log_scale_slope(double g) const { return 1.0 / ((1.0 + std::exp(-g)) * std::log1p(std::exp(g))); }
};

}  // namespace

TEST_CASE("a new method is one struct and one line") {
  lacp::register_method(lacp::make_method<Softplus>("softplus", lacp::Learning::size));
  const TemporaryFolder root;
  REQUIRE(lacp::lacp_main(quick_run(
              root.path(), {"--datasets", "cos", "--methods", "softplus,fixed", "--runs", "2"})) == 0);
  CHECK(cells_in(root / "smoke").size() == 4);
  const std::string table = lacp::read_file(root / "smoke/table.csv");
  CHECK(has(table, "cos,softplus,0.05,2,"));
  CHECK_FALSE(has(table, "nan"));
}
