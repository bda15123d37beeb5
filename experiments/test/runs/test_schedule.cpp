// The order in which tasks are done: the longest first. And which shard each is in.
#include <algorithm>

#include "experiment/engine/plan.hpp"
#include "lacp_program.hpp"

using lacp::PlannedTask;
using lacp::Task;

namespace {

std::size_t rows_of(const std::string& dataset) { return dataset == "concrete" ? 5000 : 1000; }

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

}  // namespace

TEST_CASE("the plan holds every task once, the longest first") {
  const lacp::Experiment e = lacp::load_experiment(smoke_yaml);
  const auto tasks = lacp::grid(e);
  const auto planned = lacp::plan(e, tasks, rows_of);
  CHECK(std::ranges::is_sorted(planned, std::ranges::greater{}, &PlannedTask::cost));
  CHECK(planned[0].task == Task{"concrete", 0, "mixture"});
  CHECK(planned.back().task == Task{"cos", 1, "fixed"});
  CHECK(planned.size() == tasks.size());
  for (const Task& task : tasks) CHECK(std::ranges::count(planned, task, &PlannedTask::task) == 1);
}

TEST_CASE("a task is in the same shard in whatever order the tasks come, and no shard goes without") {
  std::vector<PlannedTask> tasks = unequal_tasks(5);
  const auto shards = lacp::assign_shards(tasks, 7);
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
