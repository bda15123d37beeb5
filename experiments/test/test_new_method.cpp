// A method of your own: one struct and one line, and it runs and stands in the table like the others.
#include <doctest/doctest.h>

#include "analysis/results.hpp"
#include "commands/program.hpp"
#include "lacp/conformal/classes/make_method.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"
#include "report/tables.hpp"

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
  REQUIRE(lacp::lacp_main({"run", smoke_yaml, "--set", "training.epochs=3", "--datasets", "cos", "--methods",
                           "softplus,fixed", "--runs", "2", "--results", root.path().string(),
                           "--datasets-folder", LACP_SOURCE_DIR "/datasets"}) == 0);
  CHECK(cells_in(root / "smoke").size() == 4);
  const lacp::Results results = lacp::load_results(root / "smoke");
  lacp::write_table(results, lacp::table_entries(results));
  const std::string table = lacp::read_file(root / "smoke/table.csv");
  CHECK(table.find("cos,softplus,0.05,2,") != std::string::npos);
  CHECK(table.find("nan") == std::string::npos);
}
