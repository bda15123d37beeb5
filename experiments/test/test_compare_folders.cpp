// `lacp compare A B`: two folders of results, task by task.
#include <doctest/doctest.h>

#include <cmath>

#include "../../lib/test/near.hpp"
#include "common/layout.hpp"
#include "common/text_table.hpp"
#include "lacp/base/text.hpp"
#include "lacp_program.hpp"
#include "output/results.hpp"

namespace {

void run(const fs::path& results, const std::string& name, const std::vector<std::string>& more) {
  std::vector<std::string> options = {"--name", name, "--methods", "exp,fixed", "--set", "reference.file="};
  options.insert(options.end(), more.begin(), more.end());
  const Ran ran = lacp_program(quick_run(results, options));
  REQUIRE_MESSAGE(ran.status == 0, ran.messages);
}

Ran compare(const fs::path& a, const fs::path& b, const std::string& format = "text") {
  return lacp_program({"compare", a.string(), b.string(), "--format", format});
}

}  // namespace

TEST_CASE("two folders are compared by the tasks that both have, paired by run") {
  const TemporaryFolder results;
  run(results.path(), "mine", {"--runs", "3"});
  run(results.path(), "wide", {"--runs", "3", "--set", "network.hidden=[9]", "--datasets", "cos"});
  const Ran text = compare(results / "mine", results / "wide");
  CHECK(text.status == 0);
  CHECK(text.messages == "");
  CHECK(has(text.output, "Settings: network.hidden: [4] → [9]."));
  CHECK(has(text.output, "data set cos\n"));
  CHECK_FALSE(has(text.output, "data set concrete"));
  CHECK(has(text.output, "over up to 3 pairs"));
  CHECK(has(text.output, "as before\n"));  // `fixed` has no network
  for (const std::string& line : lacp::split_text(text.output, '\n'))
    if (!has(line, results.path().string())) CHECK_MESSAGE(lacp::text_width(line) <= 80, line);

  const lacp::TextTable table =
      lacp::parse_text_table(compare(results / "mine", results / "wide", "csv").output, "csv");
  CHECK(table.rows.size() == 2 * 3);
  const lacp::Results mine = lacp::load_results(results / "mine"),
                      wide = lacp::load_results(results / "wide");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string method = table.rows[i][table.column("method")],
                      alpha = table.rows[i][table.column("alpha")];
    const lacp::Quantity size{"cos", method, lacp::size_metric, alpha};
    double sum = 0.0;
    for (const auto& [number, value] : by_run(wide, size))
      sum += std::log(value / by_run(mine, size).at(number));
    CHECK(table.number(i, "ratio") == near_share(std::exp(sum / 3.0), 1e-9));
    CHECK(table.number(i, "lower") <= table.number(i, "ratio"));
    CHECK(table.count(i, "pairs") == 3);
  }
  CHECK(has(compare(results / "mine", results / "wide", "markdown").output, "| cos | exp | 0.05 | "));
}

TEST_CASE("folders without a common task are refused, and other seeds are told") {
  const TemporaryFolder results;
  run(results.path(), "mine", {"--datasets", "cos"});
  run(results.path(), "other", {"--datasets", "concrete"});
  const Ran none = compare(results / "mine", results / "other");
  CHECK(none.status == 2);
  CHECK(has(none.messages, "have no task in common that is done in both: the first has the data sets cos"));
  run(results.path(), "seeded", {"--datasets", "cos", "--set", "seed=2"});
  CHECK(has(compare(results / "mine", results / "seeded").output, "The seeds differ"));
}

TEST_CASE("folders that name a published table are still compared with it, one or two") {
  const TemporaryFolder results;
  REQUIRE(lacp_program(quick_run(results.path(), {"--datasets", "concrete"})).status == 0);
  REQUIRE(lacp_program(quick_run(results.path(), {"--datasets", "concrete", "--name", "two"})).status == 0);
  const Ran one = lacp_program({"compare", (results / "smoke").string()});
  CHECK(one.status == 0);
  CHECK(has(one.output, "numbers within 2 standard errors"));
  CHECK_FALSE(has(one.output, "data set concrete\n"));
  const std::string alone = lacp::read_file(results / "smoke/comparison.csv");
  const Ran two = compare(results / "smoke", results / "two");
  CHECK(two.status == 0);
  CHECK(has(two.output, "data set concrete\n"));
  CHECK(lacp::read_file(results / "smoke/comparison.csv") == alone);
  CHECK(fs::exists(results / "two/comparison.csv"));
}
