#include <chrono>
#include <thread>

#include "fitted_houses.hpp"

using namespace std::chrono_literals;

namespace {

/// How it ends within this time; else it is killed.
int end_within(pid_t child, std::chrono::seconds longest) {
  for (const auto start = std::chrono::steady_clock::now();
       at_work(child) && std::chrono::steady_clock::now() - start < longest;)
    std::this_thread::sleep_for(20ms);
  ::kill(child, SIGKILL);
  return end_of(child);
}

// One epoch of a network of this width takes minutes on `endless`, longer than the test waits for an end;
// under a sanitizer, where a step takes ten times as long and more memory, a smaller one does.
const char* const slow_network = sanitized ? "network.hidden=[2000, 2000]" : "network.hidden=[4000, 4000]";

const std::string synthetic = "{title: t, citation: c, licence: l, synthetic: {profile: cos, samples: ";

}  // namespace

TEST_CASE("Ctrl-C takes the line of progress away before anything else is said") {
  if (!has_terminals()) return;
  const TemporaryFolder folder;
  lacp::write_file(folder / "endless.yaml", synthetic + "100000}}");
  OnTerminal run({lacp_executable, "run", smoke_yaml.string(), "--datasets-folder", folder.path().string(),
                  "--results", (folder / "results").string(), "--runs", "1", "--datasets", "endless",
                  "--methods", "exp", "--set", slow_network});
  const auto start = std::chrono::steady_clock::now();
  while (!has(run.text, "0 of 1 task done") && std::chrono::steady_clock::now() - start < 60s) run.look();
  REQUIRE(has(run.text, "0 of 1 task done"));
  ::kill(run.child, SIGINT);
  while (at_work(run.child) && std::chrono::steady_clock::now() - start < 120s) run.look();
  run.look();
  CHECK(end_within(run.child, 0s) == 1);
  CAPTURE(run.text);
  const std::size_t said = run.text.find("smoke: 1 task");
  const std::size_t summary = run.text.find("smoke: 1 task", said + 1);  // the first says what is to be done
  REQUIRE(summary != std::string::npos);
  CHECK(run.text.substr(0, summary).ends_with("\r\033[K"));
}

TEST_CASE("Ctrl-C ends a run in the middle of an epoch, with code 1, and keeps what was done") {
  const TemporaryFolder descriptions;
  lacp::write_file(descriptions / "quick.yaml", synthetic + "500}}");
  lacp::write_file(descriptions / "endless.yaml", synthetic + "100000}}");
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder results;
    const auto command = [&](const std::string& name, const std::vector<std::string>& more) {
      return joined(
          {name, smoke_yaml.string(), "--datasets-folder", descriptions.path().string(), "--results",
           results.path().string(), "--runs", "1", "--datasets", "endless,quick", "--methods", "exp,fixed",
           "--set", "training.epochs=1", "--set", "evaluation.pool=1000", "--set", slow_network},
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
    CHECK(end_within(child, 45s) == 1);
    CHECK(cells_in(results / "smoke") == done);
    CHECK(has(lacp::read_file(results / "smoke/manifest.yaml"), "\nfinished: false\n"));
    check_ran(lacp_program(command("status", {})), 0, {}, "1 to run");
  }
}

// ---- A system that gives fewer threads than are asked for, or none, slows the program down and changes
// nothing.

namespace {

/// lacp where each thread asks for this many megabytes of stack, of 900 in all.
std::vector<std::string> with_stacks(int stack, const std::vector<std::string>& arguments) {
  const std::string limits =
      fmt::format("ulimit -Ss {} && ulimit -Sv {} && exec \"$0\" \"$@\"", stack * 1024, 900 * 1024);
  return joined({"bash", "-c", limits, lacp_executable}, arguments);
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
      const Ran ran = check_ran(program(with_stacks(stack, arguments)), 0);
      CHECK((ran.output == expected.output));  // in brackets: too long to be shown
    }
    const TemporaryFolder results;
    const auto run = quick_run(results.path(), {"--datasets", "cos", "--jobs", "64"});
    check_ran(program(with_stacks(stack, run)), 0);
    CHECK(cells_in(results / "smoke") == cells_in(usual / "smoke"));
    check_ran(program(with_stacks(stack, {"verify", (results / "smoke").string(), "--jobs", "64"})), 0);
  }
}

TEST_CASE("a run without a thread of its own ends by SIGTERM, with code 1, and keeps what was done") {
  if (sanitized) return;
  const TemporaryFolder results;
  const pid_t child =
      start(with_stacks(1000, quick_run(results.path(), {"--datasets", "cos", "--runs", "2000"})));
  while (cells_in(results / "smoke").empty()) {
    REQUIRE(at_work(child));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(child, SIGTERM);
  CHECK(end_of(child) == 1);
  CHECK(has(lacp::read_file(results / "smoke/manifest.yaml"), "\nfinished: false\n"));
}
