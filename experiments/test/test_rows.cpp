// The methods beyond the paper in the program: every row runs in both modes of evaluation, is verified, and
// can be fitted, predicted with and evaluated.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "common/frame.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"
#include "settings/experiment.hpp"
#include "store/store.hpp"

namespace {

const fs::path source = LACP_SOURCE_DIR;
const std::vector<std::string> rows = {"knn_error", "mondrian", "cqr",     "cqr_m",
                                       "cqr_r",     "ml",       "uniform", "rlcp"};

}  // namespace

TEST_CASE("every method runs in both modes of evaluation, with the same bytes for any number of threads") {
  for (const std::string mode : {"halves", "leave_one_out"}) {
    CAPTURE(mode);
    const TemporaryFolder root, other;
    const auto run = [&](const fs::path& results, const std::string& jobs) {
      const Ran ran = lacp_program(quick_run(
          results, {"--set", "evaluation.mode=" + mode, "--methods", lacp::join(lacp::method_names(), ","),
                    "--datasets", "cos", "--runs", "1", "--jobs", jobs, "--quiet"}));
      REQUIRE_MESSAGE(ran.status == 0, ran.messages);
      return cells_in(results / "smoke");
    };
    const auto cells = run(root.path(), "3");
    CHECK(cells.size() == lacp::method_names().size());
    CHECK(run(other.path(), "1") == cells);
    for (const std::string& method : lacp::method_names()) {
      CAPTURE(method);
      const auto cell = lacp::Cells(root / "smoke").read({"cos", 0, method});
      REQUIRE(cell.has_value());
      for (const std::string alpha : {"0.05", "0.1", "0.32"}) {
        // 200 points, or 100 calibrated by 100: three standard deviations at 0.32 are 0.2.
        CHECK(cell->value("validity", alpha).value() > 1.0 - std::stod(alpha) - 0.2);
        CHECK(cell->value("winkler", alpha).value() > 0.0);
        const bool is_cqr = method.starts_with("cqr") && method != "cqr_trees";  // whose ends are in order
        CHECK(cell->value("crossed", alpha).has_value() == is_cqr);
        if (method != "mondrian" && method != "rlcp")
          CHECK(std::isfinite(cell->value("size_mean", alpha).value()));
      }
    }
    const lacp::Frame intervals = lacp::read_frame(root / "smoke/intervals/cos.csv");
    CHECK(intervals.header().back() == "above");
    for (const lacp::Row& row : intervals) {
      if (row["method"] == "cqr") CHECK(row["above"] != "");
      if (row["method"] == "rlcp") CHECK(row["above"] == "");
    }
    CHECK(lacp::kept_intervals(root / "smoke", {"cos", 0, "cqr"})
              .starts_with("row,x,y,f,half_width,truth,sigma,below,above\n"));
    CHECK(lacp::kept_intervals(root / "smoke", {"cos", 0, "rlcp"})
              .starts_with("row,x,y,f,half_width,truth,sigma\n"));
    const Ran verified = lacp_program(
        {"verify", (root / "smoke").string(), "--datasets-folder", (source / "datasets").string()});
    CHECK_MESSAGE(verified.status == 0, verified.output, verified.messages);
  }
}

TEST_CASE("every row can be fitted, predicted with and evaluated") {
  const TemporaryFolder folder;
  const std::string table = (source / "datasets/concrete.csv").string(), model = (folder / "m.lacp").string(),
                    out = (folder / "out.csv").string();
  for (const std::string& method : rows) {
    CAPTURE(method);
    const Ran fit =
        lacp_program({"fit", table, "--target", "compressive_strength", "--method", method, "--model", model,
                      "--levels", "0.1,0.32", "--quiet", "--set", "training.epochs=3", "network.hidden=[8]",
                      "baselines.knn_error.neighbours=10"});
    REQUIRE_MESSAGE(fit.status == 0, fit.messages);
    const Ran predict = lacp_program({"predict", model, table, "--output", out, "--quiet"});
    REQUIRE_MESSAGE(predict.status == 0, predict.messages);
    const std::string whole = lacp::read_file(out);
    CHECK(lacp::split_text(whole, '\n').size() > 1030);
    CHECK_FALSE(has(whole, "nan"));
    REQUIRE(lacp_program({"predict", model, table, "--output", out, "--quiet", "--jobs", "1"}).status == 0);
    CHECK(lacp::read_file(out) == whole);
    const Ran evaluated = lacp_program({"evaluate", model, table, "--quiet"});
    CHECK_MESSAGE(evaluated.status == 0, evaluated.messages);
    CHECK(has(evaluated.output, "0.32"));
  }
}

TEST_CASE("a setting of a row changes the tasks of that row alone") {
  const auto changed = [](const std::string& set) {
    const lacp::Experiment before = lacp::load_experiment(smoke_yaml),
                           after = lacp::load_experiment(smoke_yaml, {set});
    std::vector<std::string> methods;
    for (const std::string& method : lacp::method_names())
      if (lacp::settings_hash(before, {"concrete", 0, method}, "") !=
          lacp::settings_hash(after, {"concrete", 0, method}, ""))
        methods.push_back(method);
    return lacp::join(methods, " ");
  };
  CHECK(changed("baselines.knn_error.neighbours=7") == "knn_error mondrian");
  CHECK(changed("baselines.knn_error.beta=0.5") == "knn_error");
  CHECK(changed("baselines.mondrian.bins=3") == "mondrian");
  CHECK(changed("baselines.rlcp.bandwidth=2") == "rlcp");
  // What the keys were called.
  CHECK(changed("rows.rlcp.bandwidth=2") == "rlcp");
  const auto hash = [](const std::string& set) {
    return lacp::settings_hash(lacp::load_experiment(smoke_yaml, {set}), {"concrete", 0, "rlcp"}, "");
  };
  CHECK(hash("rows.rlcp.bandwidth=2") == hash("baselines.rlcp.bandwidth=2"));
}

TEST_CASE("results whose manifest calls the baselines rows still count") {
  const TemporaryFolder root;
  const std::vector<std::string> run = quick_run(root.path(), {"--methods", "fixed", "--datasets", "cos"});
  REQUIRE(lacp_program(run).status == 0);
  const fs::path manifest = root / "smoke/manifest.yaml";
  std::string text = lacp::read_file(manifest);
  const std::size_t at = text.find("\n  baselines:\n");
  REQUIRE(at != std::string::npos);
  lacp::write_file(manifest, text.substr(0, at) + "\n  rows:\n" + text.substr(at + 14));
  const Ran table = lacp_program({"table", (root / "smoke").string()});
  CHECK_MESSAGE(table.status == 0, table.messages);
  CHECK(has(lacp_program(run).messages, " 0 done now"));
}
