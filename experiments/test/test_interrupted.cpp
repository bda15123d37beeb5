#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "lacp_program.hpp"

using Clock = std::chrono::steady_clock;

namespace {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

TEST_CASE("Ctrl-C ends within a second, with code 1, and keeps what was done") {
  const TemporaryFolder results;
  // Far more work than the test waits for, in epochs longer than a second.
  auto command = quick_run(results.path(), {"--runs", "50"});
  command.insert(command.end(), {"--set", "network.hidden=[400, 400, 400]"});
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t child = start_program(command);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    const auto start = Clock::now();
    ::kill(child, signal);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(seconds_since(start) < 1.0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 1);
  }
  CHECK(has(lacp::read_file(results / "smoke/manifest.yaml"), "\nfinished: false\n"));
  auto status = command;
  status[0] = "status";
  CHECK(lacp_program(status).status == 0);
}
