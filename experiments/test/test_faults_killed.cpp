// kill -9 at any moment: what is there is whole, nothing done is lost, and the same command goes on.
#include <chrono>
#include <thread>

#include "lacp/base/random.hpp"
#include "outputs.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kills = 50;

}  // namespace

TEST_CASE("killed at fifty random moments and continued each time, a run ends in the same bytes") {
  const TemporaryFolder results;
  const auto& expected = undisturbed().cells;
  const auto command = quick_run(results.path());
  auto forced = command, say_status = command;
  say_status[0] = "status";
  forced.push_back("--force");
  const TemporaryFolder measured;
  const auto start = Clock::now();
  REQUIRE(lacp_program(quick_run(measured.path())).status == 0);
  const std::chrono::duration<double> whole = Clock::now() - start;

  lacp::Stream moments(20);
  std::map<std::string, std::string> before;
  int killed = 0, killed_at_work = 0;
  for (int attempt = 0; killed < kills; ++attempt) {
    REQUIRE(attempt < 10 * kills);
    // Once all is done, everything is done again: there is something to kill, and old cells to lose.
    const bool all_done = before.size() == expected.size();
    const pid_t child = start_program(all_done ? forced : command);
    std::this_thread::sleep_for(moments.uniform(0.0, 0.9) * whole);
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    auto cells = csv_files(results / "smoke/cells");
    REQUIRE(within(cells, expected));  // what is there is whole
    REQUIRE(within(before, cells));    // and what was there still is
    const Ran said = lacp_program(say_status);
    CHECK_MESSAGE(has(said.output, fmt::format("28 tasks, {} done", cells.size())), said.output);
    if (WIFSIGNALED(status)) {
      REQUIRE(WTERMSIG(status) == SIGKILL);
      killed += 1;
      killed_at_work += cells.size() > before.size() || all_done ? 1 : 0;
    } else {
      REQUIRE(WEXITSTATUS(status) == 0);
    }
    before = std::move(cells);
  }
  MESSAGE(fmt::format("{} of {} kills came while tasks were being done", killed_at_work, killed));
  CHECK(killed_at_work >= kills / 2);  // the others came before the first task was done
  check_continuation(command, results.path(), before.size());
}
