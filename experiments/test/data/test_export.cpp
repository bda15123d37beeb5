#include <doctest/doctest.h>

#include "common/frame.hpp"
#include "lacp_program.hpp"
#include "settings/experiment.hpp"

using namespace lacp;

namespace {

const fs::path protocols = fs::path(LACP_SOURCE_DIR) / "experiments";

Ran exported(const fs::path& folder, const std::vector<std::string>& more) {
  return lacp_program({"export", (protocols / "full.yaml").string(), "--output", folder.string(),
                       "--datasets-folder", (fs::path(LACP_SOURCE_DIR) / "datasets").string()},
                      more);
}

std::size_t rows_of(const Frame& table, const std::string& part) {
  std::size_t rows = 0;
  for (const auto& row : table.rows) rows += row[0] == part;
  return rows;
}

}  // namespace

TEST_CASE("exported rows are those of the run: its parts, scaled, every row once") {
  const TemporaryFolder folder;
  check_ran(exported(folder.path(), {"--datasets", "concrete", "--run", "1"}), 0);
  const Frame table = read_frame(folder / "concrete.csv");
  CHECK(table.header().front() == "part");
  CHECK(table.header()[8] == "x8");
  CHECK(table.header().back() == "y");
  // As the cells of results/full say: rows_proper, rows_train, calibration_points, scored_points.
  CHECK(rows_of(table, "proper") == 412);
  CHECK(rows_of(table, "train") == 412);
  CHECK(rows_of(table, "calibration") == 103);
  CHECK(rows_of(table, "test") == 103);
  double sum = 0.0;
  for (std::size_t i = 0; i < 412; ++i) sum += table.number(i, "y");
  CHECK(sum / 412 == doctest::Approx(1.0).epsilon(1e-9));  // y in units of mean |y| of the first part

  const std::string text = read_file(folder / "concrete.csv");
  REQUIRE(exported(folder.path(), {"--datasets", "concrete", "--run", "1"}).status == 0);
  CHECK((read_file(folder / "concrete.csv") == text));
  REQUIRE(exported(folder.path(), {"--datasets", "concrete", "--run", "2"}).status == 0);
  CHECK((read_file(folder / "concrete.csv") != text));
}

TEST_CASE("a run or a data set that is not there is one clear line") {
  const TemporaryFolder folder;
  const Ran run = exported(folder.path(), {"--datasets", "concrete", "--run", "20"});
  check_ran(run, 2, {"--run: found 20; ", "has 20 runs, so expected at most 19"});
  check_ran(exported(folder.path(), {"--datasets", "nowhere"}), 2, "nowhere");
}
