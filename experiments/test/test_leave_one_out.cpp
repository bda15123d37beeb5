// What leave-one-out must not do to metrics that order points by size.
#include <doctest/doctest.h>

#include <map>

#include "lacp/base/text.hpp"
#include "lacp_program.hpp"

namespace {

/// The values of a metric in a cell, by level.
std::map<std::string, double> metric(const std::string& cell, const std::string& name) {
  std::map<std::string, double> values;
  for (const std::string& line : lacp::split_text(cell, '\n')) {
    const auto words = lacp::split_text(line, ',');
    if (words.size() == 4 && words[0] == name) values[words[1]] = lacp::parse_double(words[3]).value();
  }
  return values;
}

}  // namespace

TEST_CASE("under leave-one-out the size of `fixed` says nothing about the error") {
  const TemporaryFolder root;
  const Ran ran =
      lacp_program(quick_run(root.path(), {"--runs", "1", "--datasets", "cos", "--methods", "fixed,exp",
                                           "--set", "evaluation.mode=leave_one_out", "--set",
                                           "evaluation.pool=96", "--set", "evaluation.scored=50"}));
  REQUIRE_MESSAGE(ran.status == 0, ran.messages);
  const auto cells = cells_in(root / "smoke");
  const auto fixed = metric(cells.at("cos/0/fixed"), "size_error_correlation");
  CHECK(fixed == std::map<std::string, double>{{"0.05", 0.0}, {"0.1", 0.0}, {"0.32", 0.0}});
  // At one q̂ for all, the order of the sizes of a scale family does not depend on the level.
  const auto exp = metric(cells.at("cos/0/exp"), "size_error_correlation");
  CHECK(exp.at("0.05") != 0.0);
  CHECK(exp.at("0.05") == exp.at("0.1"));
  CHECK(exp.at("0.1") == exp.at("0.32"));
}
