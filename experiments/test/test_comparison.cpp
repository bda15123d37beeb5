#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "../../lib/test/near.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "latex_pages.hpp"
#include "output/comparison.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

const ComparedNumber& number(const Comparison& c, std::string_view dataset, std::string_view method,
                             std::string_view alpha, std::string_view quantity) {
  for (const ComparedNumber& n : c.numbers)
    if (n.dataset == dataset && n.method == method && n.alpha == alpha && n.quantity == quantity) return n;
  throw std::logic_error("no such number");
}

}  // namespace

TEST_CASE("every published number of the grid is compared, under the published name of the data set") {
  const Results results = write_sample("sample_comparison");
  const Comparison c = compare(results, table_entries(results)).value();
  CHECK(c.numbers.size() == 2 * 6 * 3 * 2);  // not the synthetic sets, not mixture
  const ComparedNumber& n = number(c, "energy_y1", "exp", "0.1", "size");
  CHECK(n.reference_dataset == "energy");
  CHECK(n.test.difference == near(n.ours.mean - n.paper.mean, 1e-12));
  const double error = std::hypot(n.ours.deviation / 2.0, n.paper.deviation / 2.0);  // sqrt(5 − 1) = 2
  CHECK(n.test.z == near_share(n.test.difference / error, 1e-9));
}

TEST_CASE("numbers drawn around the published means agree; a shifted data set does not") {
  const Results results = write_sample("sample_comparison");
  TextTable reference = sample_reference();
  const Comparison same = compare_with(reference, results.experiment, table_entries(results));
  CHECK(same.overall.numbers == 72);
  CHECK(same.overall.share() > 0.8);
  CHECK(same.overall.different == 0);
  CHECK(same.overall.expected > 0.85);
  CHECK(same.overall.expected < 0.9545);  // Student's tails are heavier than the normal law's

  for (std::size_t i = 0; i < reference.rows.size(); ++i)
    if (reference.rows[i][0] == "concrete")
      reference.rows[i][3] = number_text(2.0 * reference.number(i, "size_mean"));
  const Comparison shifted = compare_with(reference, results.experiment, table_entries(results));
  CHECK(shifted.datasets[0].group == "energy_y1");
  CHECK(shifted.datasets[0].different == 0);
  CHECK(shifted.datasets[1].different == 18);
  CHECK(shifted.datasets[1].within <= 18);
  CHECK(shifted.datasets[1].text() == "18 of 36 differ significantly");
  CHECK(number(shifted, "concrete", "fixed", "0.05", "size").p_overall < 0.05);
  CHECK(number(shifted, "concrete", "fixed", "0.05", "validity").p_overall > 0.05);
}

TEST_CASE("what is missing or infinite is counted, and does not agree") {
  const Results results = write_sample("sample_comparison", {.incomplete = true, .infinite = true});
  const Comparison c = compare(results, table_entries(results)).value();
  CHECK(c.overall.numbers == 72);
  CHECK(c.overall.comparable == 72 - 6 - 1);  // erc_error_fit on concrete has no run; one size is infinite
  CHECK_FALSE(number(c, "energy_y1", "linear", "0.05", "size").within());
  CHECK(number(c, "energy_y1", "linear", "0.05", "validity").comparable());
  CHECK(c.overall.text().find("7 could not be compared") != std::string::npos);
}

TEST_CASE("no reference, or one that is not there") {
  Results results = write_sample("sample_comparison");
  results.experiment.reference.file = "nowhere.csv";
  CHECK_THROWS_AS(compare(results, table_entries(results)), UserError);
  results.experiment.reference.file = "";
  CHECK_FALSE(compare(results, table_entries(results)).has_value());
}

TEST_CASE("files of the comparison") {
  const Results results = write_sample("sample_comparison");
  write_comparison(results, compare(results, table_entries(results)).value());
  const TextTable csv = read_text_table("sample_comparison/comparison.csv");
  CHECK(csv.rows.size() == 72);
  CHECK(csv.number(0, "paper_runs") == 5);
  const TextTable verdicts = read_text_table("sample_comparison/verdicts.csv");
  CHECK(verdicts.rows.back()[0] == "overall");
  CHECK(verdicts.number(verdicts.rows.size() - 1, "numbers") == 72);
  CHECK(check_blocks(latex_pages("sample_comparison", "comparison"),
                     {"erc (error fit)", "erc", "linear", "exp", "sigma", "fixed"}) == 4);
}

TEST_CASE("a level that the published table does not have leaves its columns empty, not those of the next") {
  const Results results = write_sample("sample_comparison", {}, [](Experiment& e) {
    e.levels.insert(e.levels.begin() + 1, Level::parse("0.07"));
  });
  const Comparison c = compare(results, table_entries(results)).value();
  const double last = number(c, "concrete", "fixed", "0.32", "size").paper.mean;
  const std::string tex = comparison_tex(results, c);
  const std::size_t row = tex.find("\\texttt{fixed}", tex.find("concrete"));
  const std::vector<std::string> cells = split_text(tex.substr(row, tex.find("\\\\", row) - row), '&');
  REQUIRE(cells.size() == 1 + 4 * 3);
  CHECK(trim(cells[5]) == "");
  CHECK(trim(cells[11]) == fmt::format("${:.3f}$", last));
}
