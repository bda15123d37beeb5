// Thousands of tasks in one grid: memory stays flat, and nothing is missing or wrong. `lacp_bench load` has
// the times.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "common/frame.hpp"
#include "lacp_program.hpp"
#include "near.hpp"

namespace {

// Sanitizers make everything ten times slower and keep freed memory back on purpose: there, fewer tasks, and
// memory is not looked at.
const std::size_t few = sanitized ? 50 : 400, many = 10 * few;

std::vector<std::string> command(const char* name, const fs::path& results, std::size_t runs) {
  const fs::path folder = fs::path(LACP_SOURCE_DIR) / "experiments/test/runs/many_tasks";
  return joined({name, (folder / "many_tasks.yaml").string(), "--datasets-folder",
                 (folder / "datasets").string(), "--results", results.string(), "--runs"},
                {std::to_string(runs)});
}

}  // namespace

TEST_CASE("ten times as many tasks need hardly more memory, and all of them are in the table") {
  const TemporaryFolder first, second;
  const double small = peak_memory(command("run", first.path(), few));
  const double large = peak_memory(command("run", second.path(), many));
  // A task may leave its name, cost, time and state behind: some hundred bytes in a handful of lists, 930
  // bytes in all; then the table at the end has 15 numbers of each, 2000 bytes in all. What it worked on must
  // be gone: 200 rows with their predictions would be 6 kB more.
  const double per_task = (large - small) / static_cast<double>(many - few);
  MESSAGE(fmt::format("peak memory {:.1f} MB with {} tasks, {:.1f} MB with {}: {:.0f} bytes per task",
                      1e-6 * small, few, 1e-6 * large, many, per_task));
  if (!sanitized) CHECK(per_task < 3000.0);

  const std::string counts = fmt::format("{0} tasks, {0} done, 0 to run, 0 failed\n", many);
  CHECK(lacp_program(command("status", second.path(), many)).output ==
        "many_tasks: " + counts + "  tiny  " + counts);
  const auto cells = cells_in(second / "many_tasks");
  REQUIRE(cells.size() == many);
  for (const auto& [name, text] : cells_in(first / "many_tasks")) REQUIRE(cells.at(name) == text);

  const Ran table = lacp_program({"table", (second / "many_tasks").string()});
  CHECK(table.status == 0);
  CHECK(table.messages == "");
  double sum = 0.0;
  const lacp::Cells found(second / "many_tasks");
  for (std::size_t run = 0; run < many; ++run)
    sum += found.read({"tiny", run, "fixed"}).value().value("size_mean", "0.1").value();
  const lacp::Frame entries = lacp::read_frame(second / "many_tasks/table.csv").where({{"alpha", "0.1"}});
  CHECK(entries.count(0, "runs") == many);
  // The table has ten digits.
  CHECK(entries.number(0, "size_mean") == near_share(sum / static_cast<double>(many), 1e-9));
}
