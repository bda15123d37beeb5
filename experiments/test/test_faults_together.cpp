// Several `lacp run` on the same folder at once, started by mistake or by an impatient scheduler.
#include <chrono>
#include <thread>

#include "outputs.hpp"

namespace {

/// Starts the commands at once, kills the first as soon as it has stored a cell if told so, and waits for
/// all.
void run_together(const std::vector<std::vector<std::string>>& commands, const fs::path& results,
                  bool kill_first) {
  std::vector<pid_t> children;
  for (const auto& command : commands) children.push_back(start_program(command));
  if (kill_first) {
    while (csv_files(results / "smoke/cells").empty() && ::waitpid(children[0], nullptr, WNOHANG) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(children[0], SIGKILL);
    ::waitpid(children[0], nullptr, 0);
    children.erase(children.begin());
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
}

}  // namespace

TEST_CASE("two and three runs at once on one folder all end well, in the bytes of a single run") {
  for (const std::size_t runs : {2u, 3u}) {
    const TemporaryFolder results;
    const auto command = quick_run(results.path());
    run_together(std::vector(runs, command), results.path(), false);
    CHECK(leftovers(results.path()).empty());
    CHECK(has(lacp::read_file(results / "smoke/manifest.yaml"), "\nfinished: true\n"));
    const Ran again = lacp_program(command);
    CHECK(has(again.messages, "28 tasks, 28 done before, 0 done now"));  // nothing was lost between them
    check_continuation(command, results.path());
  }
}

TEST_CASE("one of three runs at once is killed, and the others do not notice") {
  const TemporaryFolder results;
  const auto command = quick_run(results.path());
  run_together(std::vector(3, command), results.path(), true);
  CHECK(has(lacp_program(command).messages, "28 tasks, 28 done before, 0 done now"));
  check_continuation(command, results.path());
}

TEST_CASE("runs that do everything again never leave a moment without the old cells") {
  const TemporaryFolder results;
  auto forced = quick_run(results.path());
  REQUIRE(lacp_program(forced).status == 0);
  forced.push_back("--force");
  const pid_t first = start_program(forced), second = start_program(forced);
  while (::waitpid(first, nullptr, WNOHANG) == 0)
    REQUIRE(csv_files(results / "smoke/cells") == undisturbed().cells);
  ::waitpid(second, nullptr, 0);
  check_continuation(quick_run(results.path()), results.path());
}

TEST_CASE("runs at once with tasks that fail keep the rows of what failed, and end with 1") {
  const TemporaryFolder results;
  auto absurd = quick_run(results.path(), {"--methods", "exp,fixed", "--datasets", "concrete"});
  absurd.insert(absurd.end(), {"--set", "training.learning_rate=1e30"});
  const pid_t first = start_program(absurd), second = start_program(absurd);
  for (const pid_t child : {first, second}) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 1);
  }
  const std::string rows = lacp::read_file(results / "smoke/failures.csv");
  CHECK(has(rows, "\nconcrete,0,exp,\""));
  CHECK(has(rows, "\nconcrete,1,exp,\""));
  CHECK(count(rows, "\n") == 3);
}
