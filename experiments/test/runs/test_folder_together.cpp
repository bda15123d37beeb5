// Several runs at once in one folder of results lose nothing, and what they write can be read meanwhile.
#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "experiment/store/manifest.hpp"
#include "lacp_program.hpp"

TEST_CASE("two runs of different settings at once in one folder both leave all that they did") {
  const TemporaryFolder results;
  const fs::path folder = results / "smoke";
  const auto run = [&](const char* seed) {
    return quick_run(results.path(), {"--methods", "exp,fixed", "--set", seed});
  };
  std::vector<pid_t> children;
  for (const char* seed : {"seed=1", "seed=2"}) children.push_back(start_program(run(seed)));
  for (const pid_t child : children) CHECK(end_of(child) == 0);
  const std::set<lacp::Task> tasks = tasks_in(folder);
  CHECK(tasks.size() == 8);
  for (const lacp::Task& task : tasks) CHECK(lacp::Cells(folder).find(task).size() == 2);
  for (const char* seed : {"seed=1", "seed=2"}) {
    check_ran(lacp_program(run(seed)), 0, "smoke: 8 tasks, ");
    CHECK(lacp_program({"table", folder}).messages.empty());
  }
}

TEST_CASE("a manifest can be read while other runs replace it") {
  const TemporaryFolder results;
  const fs::path folder = results / "smoke", file = folder / "manifest.yaml";
  std::vector<std::string> manifests;
  for (const char* methods : {"fixed", "exp,fixed"}) {
    must_run(quick_run(results.path(), {"--methods", methods}));
    manifests.push_back(lacp::read_file(file));
  }
  REQUIRE(manifests[0] != manifests[1]);
  std::atomic<bool> done = false;
  std::thread other([&] {
    for (std::size_t i = 0; !done; ++i) {
      const fs::path next = results / "next";
      std::ofstream(next) << manifests[i % 2];
      fs::rename(next, file);
    }
  });
  std::set<std::size_t> methods;
  for (int i = 0; i < 1000; ++i)
    CHECK_NOTHROW(methods.insert(lacp::load_manifest(folder).experiment.methods.size()));
  done = true;
  other.join();
  CHECK(methods == std::set<std::size_t>{1, 2});
}
