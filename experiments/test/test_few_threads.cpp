// A system that gives fewer threads than are asked for, or none, slows the program down and changes nothing.
#include <chrono>
#include <thread>

#include "fitted_houses.hpp"

namespace {

/// lacp where each thread asks for this many megabytes of stack, of `memory` in all.
Ran with_stacks(int stack, int memory, std::vector<std::string> arguments) {
  const std::string limits =
      fmt::format("ulimit -Ss {} && ulimit -Sv {} && exec \"$0\" \"$@\"", stack * 1024, memory * 1024);
  arguments.insert(arguments.begin(), {"bash", "-c", limits, lacp_executable});
  return program(arguments);
}

}  // namespace

TEST_CASE("predict, evaluate, run and verify go on with the threads that could be started") {
  if (sanitized) return;  // a sanitizer takes more address space than any limit that would show something
  const Fitted place;
  const std::string table = place.write("new.csv", houses(20000, 3));
  const std::vector<std::string> evaluate = {"evaluate", place.at("m.lacp"), table, "--jobs", "64"},
                                 predict = {"predict", place.at("m.lacp"), table, "--jobs", "64"};
  const Ran predicted = lacp_program(predict), evaluated = lacp_program(evaluate);
  const TemporaryFolder usual;
  REQUIRE(lacp_program(quick_run(usual.path(), {"--datasets", "cos", "--jobs", "2"})).status == 0);
  // 900 MB hold 2 stacks of 256, and none of 1000.
  for (const int stack : {256, 1000}) {
    CAPTURE(stack);
    for (const auto& [arguments, expected] :
         {std::pair(predict, predicted), std::pair(evaluate, evaluated)}) {
      const Ran ran = with_stacks(stack, 900, arguments);
      CHECK_MESSAGE(ran.status == 0, ran.messages);
      CHECK((ran.output == expected.output));  // in brackets: too long to be shown
    }
    const TemporaryFolder results;
    const Ran ran = with_stacks(stack, 900, quick_run(results.path(), {"--datasets", "cos", "--jobs", "64"}));
    CHECK_MESSAGE(ran.status == 0, ran.messages);
    CHECK(cells_in(results / "smoke") == cells_in(usual / "smoke"));
    const Ran verified = with_stacks(stack, 900, {"verify", (results / "smoke").string(), "--jobs", "64"});
    CHECK_MESSAGE(verified.status == 0, verified.messages);
  }
}

TEST_CASE("a run without a thread of its own ends by SIGTERM, with code 1, and keeps what was done") {
  if (sanitized) return;
  const TemporaryFolder results;
  std::string command = "ulimit -Ss 1024000 && ulimit -Sv 921600 && exec \"$0\" \"$@\"";
  std::vector<std::string> arguments = quick_run(results.path(), {"--datasets", "cos", "--runs", "2000"});
  arguments.insert(arguments.begin(), {"bash", "-c", command, lacp_executable});
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDERR_FILENO);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  while (cells_in(results / "smoke").empty()) {
    REQUIRE(::waitpid(child, &status, WNOHANG) == 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(child, SIGTERM);
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(has(lacp::read_file(results / "smoke/manifest.yaml"), "\nfinished: false\n"));
}
