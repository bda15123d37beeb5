#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "lacp/base/random.hpp"
#include "run_program.hpp"

using Clock = std::chrono::steady_clock;

namespace {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

TEST_CASE("killed at twenty random moments and continued each time, a run ends in the same bytes") {
  const TemporaryFolder undisturbed, disturbed;
  const auto start = Clock::now();
  REQUIRE(lacp_program(quick_run(undisturbed.path())).status == 0);
  const double whole = seconds_since(start);

  // Moments are spread so that twenty of them together get about as far as the whole run does.
  lacp::Stream moments(20);
  int killed = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = start_program(quick_run(disturbed.path()));
    std::this_thread::sleep_for(std::chrono::duration<double>(moments.uniform(0.0, whole / 4)));
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    killed += WIFSIGNALED(status) ? 1 : 0;
    for (const auto& [name, text] : csv_files(disturbed / "."))
      if (has(name, "cells/")) CHECK_MESSAGE(has(text, "# sha256: "), name);
  }
  CHECK(killed >= 5);  // otherwise nothing was tested
  const Ran last = lacp_program(quick_run(disturbed.path()));
  CHECK_MESSAGE(last.status == 0, last.messages);
  CHECK(csv_files(disturbed / "smoke/cells") == csv_files(undisturbed / "smoke/cells"));
  CHECK(csv_files(disturbed / "smoke/intervals") == csv_files(undisturbed / "smoke/intervals"));
}

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
