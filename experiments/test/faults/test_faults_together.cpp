// Several `lacp run` on the same folder at once, started by mistake or by an impatient scheduler.
#include <chrono>
#include <set>
#include <thread>

#include "lacp/base/random.hpp"
#include "lacp_program.hpp"

TEST_CASE(
    "of three runs at once on one folder one is killed, and the others leave the bytes of a single run") {
  const TemporaryFolder results;
  const auto command = quick_run(results.path());
  const pid_t first = start_program(command), second = start_program(command), third = start_program(command);
  while (cells_in(results / "smoke").empty() && at_work(first))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::kill(first, SIGKILL);
  end_of(first);
  CHECK(end_of(second) == 0);
  CHECK(end_of(third) == 0);
  check_has(lacp::read_file(results / "smoke/manifest.yaml"), "\nfinished: true\n");
  check_continuation(command, results.path(), 28);  // nothing was lost between them
}

TEST_CASE("two runs of different settings at once in one folder both leave all that they did") {
  const TemporaryFolder results;
  const fs::path folder = results / "smoke";
  std::vector<Words> runs;
  for (const char* seed : {"seed=1", "seed=2"})
    runs.push_back(quick_run(results.path(), {"--methods", "exp,fixed", "--set", seed}));
  const pid_t first = start_program(runs[0]), second = start_program(runs[1]);
  CHECK((end_of(first) == 0 && end_of(second) == 0));
  const std::set<lacp::Task> tasks = tasks_in(folder);
  CHECK(tasks.size() == 8);
  for (const lacp::Task& task : tasks) CHECK(lacp::Cells(folder).find(task).size() == 2);
  for (const Words& run : runs) {
    check_ran(lacp_program(run), 0, "smoke: 8 tasks, ");
    CHECK(lacp_program({"table", folder}).messages.empty());
  }
}

// kill -9 at any moment: what is there is whole, nothing done is lost, and the same command goes on.

TEST_CASE("killed at random moments and continued each time, a run ends in the same bytes") {
  const int kills = all_cases ? 50 : 5;
  const TemporaryFolder results;
  const fs::path folder = results / "smoke";
  const auto& expected = undisturbed().cells;
  const auto command = quick_run(results.path());

  lacp::Stream moments(20);
  std::map<std::string, std::string> before;
  int killed_at_work = 0, attempt = 0;
  for (; killed_at_work < kills; ++attempt) {
    REQUIRE(attempt < 100 * kills);
    // Once all is done, everything is done again: there is something to kill, and old cells to lose.
    const bool all_done = before.size() == expected.size();
    const std::size_t there = lacp::task_files(folder).size();
    // A moment is a number of cells, which a busy machine only reaches later, and a little more; a run that
    // ends before it is killed does not count. Every fifth time it is one before the first cell, or about
    // then.
    const bool at_start = attempt % 5 == 0;
    const auto left = static_cast<double>(expected.size() - (all_done ? 0 : before.size()));
    const std::size_t wanted = at_start ? 0 : 1 + static_cast<std::size_t>(moments.uniform(0.0, left - 1.0));
    const std::chrono::duration<double, std::milli> further(moments.uniform(0.0, at_start ? 20.0 : 2.0));
    const pid_t child = start_program(all_done ? joined(command, {"--force"}) : command);
    while (lacp::task_files(folder).size() < there + wanted && at_work(child))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(further);
    ::kill(child, SIGKILL);
    const int code = end_of(child);
    auto cells = cells_in(folder);
    REQUIRE(within(cells, expected));  // what is there is whole
    REQUIRE(within(before, cells));    // and what was there still is
    if (code < 0) {
      REQUIRE(code == -SIGKILL);
      killed_at_work += at_start ? 0 : 1;
      check_has(lacp_program(as("status", command)).output, fmt::format("28 tasks, {} done", cells.size()));
    } else {
      REQUIRE(code == 0);
    }
    before = std::move(cells);
  }
  check_continuation(command, results.path(), before.size());
}
