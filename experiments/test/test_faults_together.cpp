// Several `lacp run` on the same folder at once, started by mistake or by an impatient scheduler.
#include <chrono>
#include <thread>

#include "outputs.hpp"

namespace {

using Command = std::vector<std::string>;

void check_end(pid_t child, int expected) {
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == expected);
}

/// Starts the commands at once and waits for all, each of which ends with `expected`.
void run_together(const std::vector<Command>& commands, int expected = 0) {
  std::vector<pid_t> children;
  for (const Command& command : commands) children.push_back(start_program(command));
  for (const pid_t child : children) check_end(child, expected);
}

}  // namespace

TEST_CASE("two and three runs at once on one folder all end well, in the bytes of a single run") {
  for (const std::size_t runs : {2u, 3u}) {
    const TemporaryFolder results;
    const auto command = quick_run(results.path());
    run_together(std::vector(runs, command));
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
  const pid_t first = start_program(command), second = start_program(command), third = start_program(command);
  while (cells_in(results / "smoke").empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::kill(first, SIGKILL);
  int status = 0;
  REQUIRE(::waitpid(first, &status, 0) == first);
  CHECK(WIFSIGNALED(status));  // there are 27 tasks left: it cannot have come to its end
  check_end(second, 0);
  check_end(third, 0);
  CHECK(has(lacp_program(command).messages, "28 tasks, 28 done before, 0 done now"));
  check_continuation(command, results.path());
}

TEST_CASE("runs that do everything again never leave a moment without the old cells") {
  const TemporaryFolder results;
  auto forced = quick_run(results.path());
  REQUIRE(lacp_program(forced).status == 0);
  forced.push_back("--force");
  const pid_t first = start_program(forced), second = start_program(forced);
  siginfo_t ended{};
  int looks = 0;
  // WNOWAIT: only looks whether it has ended.
  for (; ended.si_pid == 0; ++looks) {
    REQUIRE(cells_in(results / "smoke") == undisturbed().cells);
    REQUIRE(::waitid(P_PID, static_cast<id_t>(first), &ended, WEXITED | WNOHANG | WNOWAIT) == 0);
  }
  CHECK(looks > 1);
  check_end(first, 0);
  check_end(second, 0);
  check_continuation(quick_run(results.path()), results.path());
}

TEST_CASE("runs at once with tasks that fail keep the rows of what failed, and end with 1") {
  const TemporaryFolder results;
  auto absurd = quick_run(results.path(), {"--methods", "exp,fixed", "--datasets", "concrete"});
  absurd.insert(absurd.end(), {"--set", "training.learning_rate=1e30"});
  run_together({absurd, absurd}, 1);
  const std::string rows = failures_in(results / "smoke");
  CHECK(has(rows, "concrete,0,exp,"));
  CHECK(has(rows, "\nconcrete,1,exp,"));
  CHECK(count(rows, "\n") == 2);
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

  // Each in its own results, and each task of them fails.
  const TemporaryFolder failing;
  std::vector<Command> absurd;
  for (const char* method : {"exp", "linear", "sigma"})
    absurd.push_back(quick_run(failing.path(), {"--methods", method, "--datasets", "concrete", "--runs", "8",
                                                "--set", "training.learning_rate=1e30"}));
  run_together(absurd, 1);
  const std::string rows = failures_in(failing / "smoke");
  CHECK_MESSAGE(count(rows, "\n") == 3 * 8, rows);
}

TEST_CASE("one after the other, on data sets that the experiment does not name, all stay in the table") {
  const TemporaryFolder results, descriptions;
  for (const char* name : {"mine", "yours"})
    lacp::write_file(descriptions / (std::string(name) + ".yaml"),
                     "{title: t, citation: c, licence: l, synthetic: {profile: cos, samples: 300}}");
  const auto run = [&](const Command& more) {
    Command command = {"run",
                       smoke_yaml.string(),
                       "--results",
                       results.path().string(),
                       "--datasets-folder",
                       descriptions.path().string(),
                       "--runs",
                       "1",
                       "--set",
                       "training.epochs=1"};
    command.insert(command.end(), more.begin(), more.end());
    const Ran ran = lacp_program(command);
    CHECK_MESSAGE(ran.status == 0, ran.messages);
    CHECK(lacp_program({"table", (results / "smoke").string()}).status == 0);
    return lacp::read_file(results / "smoke/table.csv");
  };
  run({"--datasets", "mine", "--methods", "exp"});
  CHECK(has(run({"--datasets", "mine", "--methods", "fixed"}), "\nmine,exp,"));
  const std::string both = run({"--datasets", "yours", "--methods", "fixed"});
  for (const char* row : {"\nmine,exp,0.1,1,", "\nmine,fixed,0.1,1,", "\nyours,fixed,0.1,1,"})
    CHECK_MESSAGE(has(both, row), both);
  const std::string manifest = lacp::read_file(results / "smoke/manifest.yaml");
  for (const char* sum : {"\n  mine: {fingerprint: \"", "\n  yours: {fingerprint: \""})
    CHECK_MESSAGE(has(manifest, sum), manifest);
}
