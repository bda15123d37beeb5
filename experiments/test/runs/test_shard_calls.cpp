#include <algorithm>

#include "common/threads.hpp"
#include "experiment/engine/plan.hpp"
#include "lacp/base/error.hpp"
#include "lacp_program.hpp"

using lacp::PlannedTask;
using lacp::Shard;

namespace {

/// A grid with costs as unequal as those of the paper: data sets from small to large, one expensive method.
std::vector<PlannedTask> unequal_tasks(std::size_t runs) {
  std::vector<PlannedTask> tasks;
  for (std::size_t run = 0; run < runs; ++run)
    for (const auto& [dataset, size] : {std::pair("a", 1.0), {"b", 1.3}, {"c", 28.0}, {"d", 60.0}})
      for (const auto& [method, cost] :
           {std::pair("erc", 1.0), {"exp", 1.0}, {"mixture", 4.0}, {"fixed", 0.003}})
        tasks.push_back({{dataset, run, method}, size * cost});
  return tasks;
}

std::vector<double> loads(const std::vector<PlannedTask>& tasks, std::size_t count) {
  std::vector<double> sums(count);
  const auto shards = lacp::assign_shards(tasks, count);
  for (const PlannedTask& p : tasks) sums.at(shards.at(p.task) - 1) += p.cost;
  return sums;
}

/// Sets variables for this program and those that it starts.
struct WithVariables {
  explicit WithVariables(std::map<std::string, std::string> values) : values_(std::move(values)) {
    for (const auto& [name, value] : values_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  WithVariables(const WithVariables&) = delete;
  WithVariables& operator=(const WithVariables&) = delete;
  ~WithVariables() {
    for (const auto& [name, value] : values_) ::unsetenv(name.c_str());
  }

 private:
  std::map<std::string, std::string> values_;
};

std::optional<Shard> shard_of_array(const std::string& id, const std::string& count, const std::string& first,
                                    const std::string& last) {
  const WithVariables array({{"SLURM_ARRAY_TASK_ID", id},
                             {"SLURM_ARRAY_TASK_COUNT", count},
                             {"SLURM_ARRAY_TASK_MIN", first},
                             {"SLURM_ARRAY_TASK_MAX", last}});
  return lacp::slurm_shard();
}

}  // namespace

TEST_CASE("every task is in exactly one shard, in whatever order the tasks come") {
  std::vector<PlannedTask> tasks = unequal_tasks(5);
  const auto shards = lacp::assign_shards(tasks, 7);
  CHECK(shards.size() == tasks.size());
  for (const auto& [task, shard] : shards) CHECK((shard >= 1 && shard <= 7));
  std::ranges::reverse(tasks);
  CHECK(lacp::assign_shards(tasks, 7) == shards);
  CHECK(std::ranges::count(loads(unequal_tasks(1), 40), 0.0) == 24);  // more shards than tasks: one each
  std::map<std::size_t, int> sizes;
  for (PlannedTask& p : tasks) p.cost = 0;  // those of unknown cost are shared out too
  for (const auto& [task, shard] : lacp::assign_shards(tasks, 8)) sizes[shard] += 1;
  for (std::size_t shard = 1; shard <= 8; ++shard) CHECK(sizes[shard] == 10);
}

TEST_CASE("shards differ in cost by at most the most expensive task") {
  const double most_expensive = 240;
  for (const std::size_t runs : {1, 3, 20, 100})
    for (const std::size_t count : {2, 5, 16, 64}) {
      const std::vector<double> sums = loads(unequal_tasks(runs), count);
      CHECK(std::ranges::max(sums) - std::ranges::min(sums) <= most_expensive * 1.0001);  // costs are rounded
    }
}

TEST_CASE("when runs are added, no task moves, and the new ones are shared out evenly") {
  const auto few = lacp::assign_shards(unequal_tasks(10), 6);
  const auto many = lacp::assign_shards(unequal_tasks(50), 6);
  for (const auto& [task, shard] : few) CHECK(many.at(task) == shard);
  std::vector<double> added(6);
  for (const PlannedTask& p : unequal_tasks(50))
    if (p.task.run >= 10) added.at(many.at(p.task) - 1) += p.cost;
  CHECK(std::ranges::max(added) - std::ranges::min(added) <= 2 * 240 * 1.0001);
}

TEST_CASE("a shard is written i/N, from 1 to N") {
  CHECK(lacp::parse_shard("3/8") == Shard{3, 8});
  CHECK(lacp::to_text(Shard{3, 8}) == "3/8");
  for (const char* wrong :
       {"0/8", "9/8", "3", "3/", "/8", "-1/8", "3/8/2", "a/b", "1.5/2", "", "1/9999999999"})
    CHECK_THROWS_AS(lacp::parse_shard(wrong), lacp::UserError);
}

TEST_CASE("Slurm's variables name the shard, wherever an array begins to count") {
  CHECK_FALSE(lacp::slurm_shard());
  CHECK(shard_of_array("3", "8", "1", "8") == Shard{3, 8});
  CHECK(shard_of_array("0", "8", "0", "7") == Shard{1, 8});
  CHECK(shard_of_array("12", "3", "10", "12") == Shard{3, 3});
  CHECK_THROWS_AS(shard_of_array("7", "2", "3", "7"), lacp::UserError);  // --array=3,7
  CHECK_THROWS_AS(shard_of_array("x", "2", "3", "7"), lacp::UserError);
  const WithVariables processors(std::map<std::string, std::string>{{"SLURM_CPUS_PER_TASK", "4"}});
  CHECK(lacp::thread_count(0, 100) == 4);
  CHECK(lacp::thread_count(0, 3) == 3);
  CHECK(lacp::thread_count(5, 100) == 5);
}
