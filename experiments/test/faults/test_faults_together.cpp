// Several `lacp run` on the same folder at once, started by mistake or by an impatient scheduler.
#include <chrono>
#include <thread>

#include "lacp/base/random.hpp"
#include "lacp/base/text.hpp"
#include "lacp_program.hpp"

namespace {

using Command = std::vector<std::string>;

/// Starts the commands at once and waits for all, each of which ends with `expected`.
void run_together(const std::vector<Command>& commands, int expected = 0) {
  std::vector<pid_t> children;
  for (const Command& command : commands) children.push_back(start_program(command));
  for (const pid_t child : children) CHECK(end_of(child) == expected);
}

}  // namespace

TEST_CASE("three runs at once on one folder all end well, in the bytes of a single run") {
  const TemporaryFolder results;
  const auto command = quick_run(results.path());
  run_together(std::vector(3, command));
  CHECK(leftovers(results.path()).empty());
  check_has(lacp::read_file(results / "smoke/manifest.yaml"), "\nfinished: true\n");
  check_continuation(command, results.path(), 28);  // nothing was lost between them
}

TEST_CASE("one of three runs at once is killed, and the others do not notice") {
  int ended = 0;
  while (ended == 0) {  // where this test had to wait for a processor, the first may have come to its end
    const TemporaryFolder results;
    const auto command = quick_run(results.path());
    const pid_t first = start_program(command), second = start_program(command),
                third = start_program(command);
    while (cells_in(results / "smoke").empty() && at_work(first))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(first, SIGKILL);
    ended = end_of(first);
    CHECK(end_of(second) == 0);
    CHECK(end_of(third) == 0);
    check_continuation(command, results.path(), 28);
  }
  CHECK(ended == -SIGKILL);
}

TEST_CASE("runs at once that do different parts lose nothing of each other, in tables or in failures") {
  const TemporaryFolder results;
  const std::vector<std::string> methods = {"erc_error_fit", "erc",     "linear", "exp",
                                            "sigma",         "mixture", "fixed"};
  std::vector<Command> parts;
  for (const std::string& method : methods) parts.push_back(quick_run(results.path(), {"--methods", method}));
  run_together(parts);
  CHECK(outputs_of(results.path()).table == undisturbed().table);
  check_continuation(quick_run(results.path()), results.path(), 28);

  // Two of these do the same, and each task fails.
  const TemporaryFolder failing;
  std::vector<Command> absurd;
  for (const char* method : {"exp", "exp", "linear", "sigma"})
    absurd.push_back(quick_run(
        failing.path(), joined({"--methods", method, "--datasets", "concrete", "--runs", "8"}, diverging)));
  run_together(absurd, 1);
  const std::string rows = failures_in(failing / "smoke");
  CHECK_MESSAGE(count(rows, "\n") == 3 * 8, rows);
}

// kill -9 at any moment: what is there is whole, nothing done is lost, and the same command goes on.

namespace {

constexpr int kills = 50;

}  // namespace

TEST_CASE("killed at fifty random moments and continued each time, a run ends in the same bytes") {
  const TemporaryFolder results;
  const fs::path folder = results / "smoke";
  const auto& expected = undisturbed().cells;
  const auto command = quick_run(results.path());

  lacp::Stream moments(20);
  std::map<std::string, std::string> before;
  int killed_at_work = 0, killed_at_start = 0, attempt = 0;
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
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    std::this_thread::sleep_for(further);
    ::kill(child, SIGKILL);
    const int code = end_of(child);
    auto cells = cells_in(folder);
    REQUIRE(within(cells, expected));  // what is there is whole
    REQUIRE(within(before, cells));    // and what was there still is
    if (code < 0) {
      REQUIRE(code == -SIGKILL);
      (at_start ? killed_at_start : killed_at_work) += 1;
      check_has(lacp_program(as("status", command)).output, fmt::format("28 tasks, {} done", cells.size()));
    } else {
      REQUIRE(code == 0);
    }
    before = std::move(cells);
  }
  MESSAGE(fmt::format("{} attempts: {} kills at work, {} before", attempt, killed_at_work, killed_at_start));
  CHECK(killed_at_start > 0);
  // How each cell came to be is known, though no run came to its end to tell.
  const std::string version = lacp_program({"--version"}).output;
  for (const auto& [name, text] : before) {
    const std::vector<std::string> parts = lacp::split_text(name, '/');
    const lacp::Cell cell = found_in(folder, {parts[0], std::stoul(parts[1]), parts[2]}).cell.value();
    CHECK(has(version, "commit     " + cell.commit + "\n"));
    CHECK(cell.seconds.has_value());  // 0.000 of a task that took less than half a millisecond
  }
  check_continuation(command, results.path(), before.size());
}
