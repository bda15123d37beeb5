#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "lacp_program.hpp"

using namespace std::chrono_literals;

namespace {

/// Waits for the program to end, for at most so long; whether it did.
bool ends_within(pid_t child, std::chrono::seconds longest, int& status) {
  for (const auto start = std::chrono::steady_clock::now();
       std::chrono::steady_clock::now() - start < longest; std::this_thread::sleep_for(20ms))
    if (::waitpid(child, &status, WNOHANG) == child) return true;
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return false;
}

// One epoch of a network of this width takes many minutes on `endless`, far longer than the test waits for an
// end; under a sanitizer, where a step takes ten times as long and more memory, a smaller one does.
#ifdef __SANITIZE_THREAD__
constexpr const char* slow_network = "network.hidden=[2000, 2000]";
#else
constexpr const char* slow_network = "network.hidden=[6000, 6000]";
#endif

}  // namespace

TEST_CASE("Ctrl-C ends a run in the middle of an epoch, with code 1, and keeps what was done") {
  const TemporaryFolder descriptions;
  const std::string text = "{title: t, citation: c, licence: l, synthetic: {profile: cos, samples: ";
  lacp::write_file(descriptions / "quick.yaml", text + "500}}");
  lacp::write_file(descriptions / "endless.yaml", text + "100000}}");
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder results;
    std::vector<std::string> options = {"--datasets-folder", descriptions.path().string(), "--results",
                                        results.path().string()};
    for (const char* option :
         {"--runs", "1", "--datasets", "endless,quick", "--methods", "exp,fixed", "--set",
          "training.epochs=1", "--set", "evaluation.pool=1000", "--set", slow_network})
      options.emplace_back(option);
    auto run = options, say_status = options;
    run.insert(run.begin(), {"run", smoke_yaml.string(), "--jobs", "2"});
    say_status.insert(say_status.begin(), {"status", smoke_yaml.string()});

    const pid_t child = start_program(run);
    int status = 0;
    // Once all the rest is done, the endless task is all that is left.
    while (csv_files(results / "smoke/cells").size() < 3) {
      REQUIRE(::waitpid(child, &status, WNOHANG) == 0);
      std::this_thread::sleep_for(50ms);
    }
    const auto done = csv_files(results / "smoke/cells");
    ::kill(child, signal);
    REQUIRE(ends_within(child, 120s, status));
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 1);
    CHECK(csv_files(results / "smoke/cells") == done);
    CHECK(has(lacp::read_file(results / "smoke/manifest.yaml"), "\nfinished: false\n"));
    const Ran left = lacp_program(say_status);
    CHECK_MESSAGE(left.status == 0, left.messages);
    CHECK(has(left.output, "1 to run"));
  }
}
