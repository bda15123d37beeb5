#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "../../lib/test/near.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "latex_pages.hpp"
#include "report/tables.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

const Row& number(const Comparison& c, std::string_view dataset, std::string_view method,
                  std::string_view alpha, std::string_view quantity) {
  return row_of(c.numbers,
                {{"dataset", dataset}, {"method", method}, {"alpha", alpha}, {"quantity", quantity}});
}

}  // namespace

TEST_CASE("every published number of the grid is compared, under the published name of the data set") {
  const Results results = write_sample("sample_comparison");
  const Comparison c = compare(results, table_entries(results)).value();
  CHECK(c.numbers.size() == 2 * 6 * 3 * 2);  // not the synthetic sets, not mixture
  const Row& n = number(c, "energy_y1", "exp", "0.1", "size");
  CHECK(n["reference_dataset"] == "energy");
  CHECK(n.number("difference") == near(n.number("ours_mean") - n.number("paper_mean"), 1e-12));
  const double error = std::hypot(n.number("ours_std"), n.number("paper_std")) / 2.0;  // sqrt(5 − 1) = 2
  CHECK(n.number("z") == near_share(n.number("difference") / error, 1e-9));
}

TEST_CASE("numbers drawn around the published means agree; a shifted data set does not") {
  const Results results = write_sample("sample_comparison");
  Frame reference = sample_reference();
  const Comparison same = compare_with(reference, results.experiment, table_entries(results));
  CHECK(same.overall().count("numbers") == 72);
  CHECK(same.overall().number("share") > 0.8);
  CHECK(same.overall().count("significant_after_holm") == 0);
  CHECK(same.overall().number("share_expected_by_chance") > 0.85);
  CHECK(same.overall().number("share_expected_by_chance") <
        0.9545);  // Student's tails are heavier than the normal law's

  for (std::size_t i = 0; i < reference.rows.size(); ++i)
    if (reference.rows[i][0] == "concrete")
      reference.rows[i].set("size_mean", 2.0 * reference.number(i, "size_mean"));
  const Comparison shifted = compare_with(reference, results.experiment, table_entries(results));
  CHECK(shifted.verdicts.rows[0]["group"] == "energy_y1");
  CHECK(shifted.verdicts.count(0, "significant_after_holm") == 0);
  CHECK(shifted.verdicts.count(1, "significant_after_holm") == 18);
  CHECK(shifted.verdicts.count(1, "within_2_standard_errors") <= 18);
  CHECK(shifted.verdicts.rows[1]["verdict"] == "18 of 36 differ significantly");
  CHECK(number(shifted, "concrete", "fixed", "0.05", "size").number("holm_p_overall") < 0.05);
  CHECK(number(shifted, "concrete", "fixed", "0.05", "validity").number("holm_p_overall") > 0.05);
}

TEST_CASE("what is missing or infinite is counted, and does not agree") {
  const Results results = write_sample("sample_comparison", {.incomplete = true, .infinite = true});
  const Comparison c = compare(results, table_entries(results)).value();
  CHECK(c.overall().count("numbers") == 72);
  CHECK(c.overall().count("comparable") ==
        72 - 6 - 1);  // erc_error_fit on concrete has no run; one size is infinite
  CHECK(number(c, "energy_y1", "linear", "0.05", "size")["within_2_standard_errors"] == "");
  CHECK(number(c, "energy_y1", "linear", "0.05", "validity")["within_2_standard_errors"] != "");
  CHECK(c.overall()["verdict"].find("7 could not be compared") != std::string::npos);
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
  const Frame csv = read_frame("sample_comparison/comparison.csv");
  CHECK(csv.rows.size() == 72);
  CHECK(csv.number(0, "paper_runs") == 5);
  const Frame verdicts = read_frame("sample_comparison/verdicts.csv");
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
  const double last = number(c, "concrete", "fixed", "0.32", "size").number("paper_mean");
  const std::string tex = comparison_tex(results, c);
  const std::size_t row = tex.find("\\texttt{fixed}", tex.find("concrete"));
  const std::vector<std::string> cells = split_text(tex.substr(row, tex.find("\\\\", row) - row), '&');
  REQUIRE(cells.size() == 1 + 4 * 3);
  CHECK(trim(cells[5]) == "");
  CHECK(trim(cells[11]) == fmt::format("${:.3f}$", last));
}
