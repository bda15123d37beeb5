// kill -9 at any moment: what is there is whole, nothing done is lost, and the same command goes on.
#include <chrono>
#include <thread>

#include "lacp/base/random.hpp"
#include "lacp/base/text.hpp"
#include "outputs.hpp"

namespace {

constexpr int kills = 50;

/// How many cells workers appended, whole or not.
std::size_t appended(const fs::path& folder) {
  std::size_t cells = 0;
  try {
    for (const fs::path& worker : lacp::worker_folders(folder))
      for (const auto& [name, text] : csv_files(worker))
        cells += lacp::CellFile(worker / name, fs::path(name).stem().string()).cells().size();
  } catch (const std::exception&) {  // the run ended, and merged them
    return 0;
  }
  return cells;
}

}  // namespace

TEST_CASE(
    "killed at fifty random moments of its work and continued each time, a run ends in the same bytes") {
  const TemporaryFolder results;
  const fs::path folder = results / "smoke";
  const auto& expected = undisturbed().cells;
  const auto command = quick_run(results.path());
  auto forced = command, say_status = command;
  say_status[0] = "status";
  forced.push_back("--force");

  lacp::Stream moments(20);
  std::map<std::string, std::string> before;
  int killed_at_work = 0, killed_at_start = 0, attempt = 0;
  for (; killed_at_work < kills; ++attempt) {
    REQUIRE(attempt < 100 * kills);
    // Once all is done, everything is done again: there is something to kill, and old cells to lose.
    const bool all_done = before.size() == expected.size();
    const std::size_t there = appended(folder);
    // A moment is a number of cells, which a busy machine only reaches later, and a little more; a run that
    // ends before it is killed does not count. Every fifth time it is one before the first cell, or about
    // then.
    const bool at_start = attempt % 5 == 0;
    const auto left = static_cast<double>(expected.size() - (all_done ? 0 : before.size()));
    const std::size_t wanted = at_start ? 0 : 1 + static_cast<std::size_t>(moments.uniform(0.0, left - 1.0));
    const std::chrono::duration<double, std::milli> further(moments.uniform(0.0, at_start ? 20.0 : 2.0));
    const pid_t child = start_program(all_done ? forced : command);
    int status = 0;
    pid_t ended = 0;
    while (appended(folder) < there + wanted && (ended = ::waitpid(child, &status, WNOHANG)) == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (ended == 0) {
      std::this_thread::sleep_for(further);
      ::kill(child, SIGKILL);
      ended = ::waitpid(child, &status, 0);
    }
    REQUIRE(ended == child);
    auto cells = cells_in(folder);
    REQUIRE(within(cells, expected));  // what is there is whole
    REQUIRE(within(before, cells));    // and what was there still is
    if (WIFSIGNALED(status)) {
      REQUIRE(WTERMSIG(status) == SIGKILL);
      (at_start ? killed_at_start : killed_at_work) += 1;
      const Ran said = lacp_program(say_status);
      CHECK_MESSAGE(has(said.output, fmt::format("28 tasks, {} done", cells.size())), said.output);
    } else {
      REQUIRE(WEXITSTATUS(status) == 0);
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
    CHECK(cell.seconds.value_or(0.0) > 0.0);
  }
  check_continuation(command, results.path(), before.size());
}
