#include <chrono>
#include <thread>

#include "fitted_houses.hpp"

using namespace std::chrono_literals;

TEST_CASE("Ctrl-C kills a run in the middle of an epoch, and keeps what was done") {
  const TemporaryFolder descriptions;
  const std::string synthetic = "{title: t, citation: c, licence: l, synthetic: {profile: cos, samples: ";
  lacp::write_file(descriptions / "quick.yaml", synthetic + "500}}");
  lacp::write_file(descriptions / "endless.yaml", synthetic + "100000}}");
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder results;
    const auto command = [&](const std::string& name, const std::vector<std::string>& more) {
      return joined(
          {name, smoke_yaml.string(), "--datasets-folder", descriptions.path().string(), "--results",
           results.path().string(), "--runs", "1", "--datasets", "endless,quick", "--methods", "exp,fixed",
           "--set", "training.epochs=1", "evaluation.pool=1000", "network.hidden=[2000, 2000]"},
          more);
    };
    const pid_t child = start_program(command("run", {"--jobs", "2"}));
    // Once all the rest is done, the endless task is all that is left.
    while (cells_in(results / "smoke").size() < 3) {
      REQUIRE(at_work(child));
      std::this_thread::sleep_for(50ms);
    }
    const auto done = cells_in(results / "smoke");
    ::kill(child, signal);
    CHECK(end_of(child) == -signal);
    CHECK(cells_in(results / "smoke") == done);
    CHECK(has(lacp::read_file(results / "smoke/manifest.yaml"), "\nfinished: false\n"));
    check_ran(lacp_program(command("status", {})), 0, {}, "4 tasks, 3 done, 1 to run");
  }
}

// A system that gives fewer threads than are asked for, or none, slows the program down and changes nothing.
TEST_CASE("predict, evaluate, run and verify go on with the threads that could be started") {
  if (sanitized) return;  // a sanitizer takes more address space than any limit that would show something
  const Fitted place;
  const std::string table = place.write("new.csv", houses(20000, 3));
  const TemporaryFolder usual;
  must_run(quick_run(usual.path(), {"--datasets", "cos", "--jobs", "2"}));
  // 900 MB hold two stacks of 256 that threads ask for, and none of 1000.
  for (const int stack : {256, 1000}) {
    CAPTURE(stack);
    const std::string limited =
        fmt::format("ulimit -Ss {} && ulimit -Sv {} && exec \"$0\" \"$@\"", stack * 1024, 900 * 1024);
    for (const char* command : {"predict", "evaluate"}) {
      const std::vector<std::string> words = {command, place.at("m.lacp"), table, "--jobs", "64"};
      const Ran ran = check_ran(shell(limited, words), 0);
      CHECK((ran.output == lacp_program(words).output));  // in brackets: too long to be shown
    }
    const TemporaryFolder results;
    const auto run = quick_run(results.path(), {"--datasets", "cos", "--jobs", "64"});
    check_ran(shell(limited, run), 0);
    CHECK(cells_in(results / "smoke") == cells_in(usual / "smoke"));
    check_ran(shell(limited, {"verify", (results / "smoke").string(), "--jobs", "64"}), 0);
  }
}
