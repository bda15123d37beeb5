// Methods in the program: every one runs, and is verified.
#include <algorithm>
#include <cmath>

#include "experiment/store/store.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"

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
      const std::optional<double> theta = cell->value("adaptation");
      CHECK(theta.has_value() == (method == "adapt"));
      if (theta) CHECK(std::ranges::count(std::vector<double>{0, 0.25, 0.5, 0.75, 1}, *theta) == 1);
    }
    const lacp::Frame intervals = lacp::read_frame(root / "smoke/intervals/cos.csv");
    CHECK(intervals.header() == std::vector<std::string>{"method", "row", "x", "y", "f", "half_width",
                                                         "truth", "sigma", "below", "above"});
    for (const lacp::Row& row : intervals.where({{"method", "cqr"}})) CHECK(row["above"] != "");
    must_run({"verify", (root / "smoke").string(), "--jobs", "1"});  // each cell again, byte for byte
  }
}
