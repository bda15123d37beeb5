// What `lacp verify` calls: which cells are drawn, and where two texts differ.
#include <set>

#include "common/frame.hpp"
#include "experiment/engine/plan.hpp"
#include "said.hpp"

using lacp::Task;

TEST_CASE("the same seed draws the same cells, another seed others") {
  std::vector<Task> tasks;
  for (std::size_t run = 0; run < 20; ++run)
    for (const char* method : {"exp", "erc"}) tasks.push_back({"a", run, method});
  // Stated here, since it must be the same on any machine.
  CHECK(lacp::draw(tasks, 3, 1) == std::vector<Task>{{"a", 3, "erc"}, {"a", 16, "erc"}, {"a", 18, "erc"}});
  CHECK(lacp::draw(tasks, 3, 1) != lacp::draw(tasks, 3, 2));
  CHECK(lacp::draw(tasks, 1000, 1) == tasks);
  std::set<Task> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<Task> drawn = lacp::draw(tasks, 3, seed);
    CHECK(std::set(drawn.begin(), drawn.end()).size() == 3);
    seen.insert(drawn.begin(), drawn.end());
  }
  CHECK(seen.size() == tasks.size());
}

TEST_CASE("a share is drawn of the runs of each data set, with all their tasks") {
  std::vector<Task> tasks;
  for (const char* dataset : {"a", "b"})
    for (std::size_t run = 0; run < (dataset[0] == 'a' ? 20u : 3u); ++run)
      for (const char* method : {"exp", "erc"}) tasks.push_back({dataset, run, method});
  const std::vector<Task> drawn = lacp::draw_runs(tasks, 0.1, 1);
  CHECK(drawn.size() == 2 * 2 + 1 * 2);
  for (const Task& task : drawn)
    for (const char* method : {"exp", "erc"})
      CHECK(std::ranges::count(drawn, Task{task.dataset, task.run, method}) == 1);
  CHECK(drawn == lacp::draw_runs(tasks, 0.1, 1));
  CHECK(drawn != lacp::draw_runs(tasks, 0.1, 2));
  CHECK(lacp::draw_runs(tasks, 1.0, 1) == tasks);
}

TEST_CASE("the first difference of two csv texts, also where one has a line more") {
  const std::string csv = "# a\nmetric,alpha,bin,value\nsize,0.1,,2\nsize,0.2,1,3\n", last = "size,0.2,1,3\n";
  const std::string shorter = csv.substr(0, csv.size() - last.size());
  CHECK(lacp::first_difference(csv, csv) == "");
  CHECK(lacp::first_difference(shorter + "size,0.2,1,4\n", csv) ==
        "value of size,0.2,1: 4 in the folder, 3 here");
  check_has(lacp::first_difference(shorter, csv), "'' in the folder, 'size,0.2,1,3' here");
  check_has(lacp::first_difference(csv, shorter), "'size,0.2,1,3' in the folder, '' here");
  check_has(lacp::first_difference("", csv), "'' in the folder");
}
