#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "lacp/base/random.hpp"
#include "lacp_program.hpp"

using Clock = std::chrono::steady_clock;

namespace {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

TEST_CASE("killed at twenty random moments and continued each time, a run ends in the same bytes") {
  const TemporaryFolder undisturbed, disturbed;
  const auto command = [](const TemporaryFolder& folder) {
    return quick_run(folder.path(), {"--set", "training.epochs=30"});
  };
  const auto start = Clock::now();
  REQUIRE(lacp_program(command(undisturbed)).status == 0);
  const double whole = seconds_since(start);
  const auto expected_cells = csv_files(undisturbed / "smoke/cells");
  const auto expected_intervals = csv_files(undisturbed / "smoke/intervals");

  lacp::Stream moments(20);
  int killed = 0;
  std::size_t most_cells = 0;
  for (int attempt = 0; killed < 20; ++attempt) {
    REQUIRE(attempt < 200);
    const pid_t child = start_program(command(disturbed));
    std::this_thread::sleep_for(std::chrono::duration<double>(moments.uniform(0.0, 0.8 * whole)));
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    const auto cells = csv_files(disturbed / "smoke/cells");
    most_cells = std::max(most_cells, cells.size());
    // Whatever is there is whole, at every moment.
    for (const auto& [name, text] : cells) REQUIRE_MESSAGE(text == expected_cells.at(name), name);
    if (WIFSIGNALED(status)) killed += 1;
    if (cells.size() == expected_cells.size())
      fs::remove_all(disturbed / "smoke/cells/cos");  // work for the rest
  }
  CHECK(most_cells > 5);  // the kills hit a run that gets somewhere
  const Ran last = lacp_program(command(disturbed));
  CHECK_MESSAGE(last.status == 0, last.messages);
  CHECK(csv_files(disturbed / "smoke/cells") == expected_cells);
  CHECK(csv_files(disturbed / "smoke/intervals") == expected_intervals);
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
