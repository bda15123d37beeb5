// A system that gives fewer threads than are asked for, or none, slows the program down and changes nothing.
#include <chrono>
#include <thread>

#include "fitted_houses.hpp"

namespace {

/// lacp where each thread asks for this many megabytes of stack, of `memory` in all.
Ran with_stacks(int stack, int memory, const std::vector<std::string>& arguments) {
  const std::string limits =
      fmt::format("ulimit -Ss {} && ulimit -Sv {} && exec \"$0\" \"$@\"", stack * 1024, memory * 1024);
  return program(joined({"bash", "-c", limits, lacp_executable}, arguments));
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
  must_run(quick_run(usual.path(), {"--datasets", "cos", "--jobs", "2"}));
  // 900 MB hold 2 stacks of 256, and none of 1000.
  for (const int stack : {256, 1000}) {
    CAPTURE(stack);
    for (const auto& [arguments, expected] :
         {std::pair(predict, predicted), std::pair(evaluate, evaluated)}) {
      const Ran ran = check_ran(with_stacks(stack, 900, arguments), 0);
      CHECK((ran.output == expected.output));  // in brackets: too long to be shown
    }
    const TemporaryFolder results;
    check_ran(with_stacks(stack, 900, quick_run(results.path(), {"--datasets", "cos", "--jobs", "64"})), 0);
    CHECK(cells_in(results / "smoke") == cells_in(usual / "smoke"));
    check_ran(with_stacks(stack, 900, {"verify", (results / "smoke").string(), "--jobs", "64"}), 0);
  }
}

TEST_CASE("a run without a thread of its own ends by SIGTERM, with code 1, and keeps what was done") {
  if (sanitized) return;
  const TemporaryFolder results;
  const pid_t child = start(
      joined({"bash", "-c", "ulimit -Ss 1024000 && ulimit -Sv 921600 && exec \"$0\" \"$@\"", lacp_executable},
             quick_run(results.path(), {"--datasets", "cos", "--runs", "2000"})));
  while (cells_in(results / "smoke").empty()) {
    REQUIRE(at_work(child));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(child, SIGTERM);
  CHECK(end_of(child) == 1);
  CHECK(has(lacp::read_file(results / "smoke/manifest.yaml"), "\nfinished: false\n"));
}
