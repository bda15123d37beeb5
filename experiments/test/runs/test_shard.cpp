#include "engine/plan.hpp"
#include "lacp_program.hpp"
#include "store/manifest.hpp"

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

}  // namespace

TEST_CASE("every task is in exactly one shard, in whatever order the tasks come") {
  std::vector<PlannedTask> tasks = unequal_tasks(5);
  const auto shards = lacp::assign_shards(tasks, 7);
  CHECK(shards.size() == tasks.size());
  std::ranges::reverse(tasks);
  CHECK(lacp::assign_shards(tasks, 7) == shards);
  CHECK(std::ranges::count(loads(unequal_tasks(1), 40), 0.0) == 24);  // more shards than tasks: one each
  std::map<std::size_t, int> sizes;
  for (PlannedTask& p : tasks) p.cost = 0;  // those of unknown cost are shared out too
  for (const auto& [task, shard] : lacp::assign_shards(tasks, 8)) sizes[shard] += 1;
  for (std::size_t shard = 1; shard <= 8; ++shard) CHECK(sizes[shard] == 10);
}

TEST_CASE("shards differ in cost by at most the most expensive task; when runs are added, no task moves") {
  for (const std::size_t runs : {1, 3, 20, 100})
    for (const std::size_t count : {2, 5, 16, 64}) {
      const std::vector<double> sums = loads(unequal_tasks(runs), count);
      CHECK(std::ranges::max(sums) - std::ranges::min(sums) <= 240 * 1.0001);  // costs are rounded
    }
  const auto many = lacp::assign_shards(unequal_tasks(50), 6);
  for (const auto& [task, shard] : lacp::assign_shards(unequal_tasks(10), 6)) CHECK(many.at(task) == shard);
}

TEST_CASE("a shard is written i/N, from 1 to N") {
  CHECK(lacp::parse_shard("3/8") == Shard{3, 8});
  for (const char* wrong : {"0/8", "9/8", "3", "3/", "/8", "-1/8", "3/8/2", "1.5/2", "", "1/9999999999"})
    CHECK_THROWS_AS(lacp::parse_shard(wrong), lacp::UserError);
}

TEST_CASE("lacp run takes shard and threads from Slurm, and what is said explicitly goes first") {
  const TemporaryFolder results;
  const auto in_array = [&](const Words& variables, const Words& more) {
    const Words run = joined({lacp_executable}, quick_run(results.path(), more));
    return check_ran(program(joined(joined({"env"}, variables), run)), 0);
  };
  for (const auto& [id, count, first, last, shard] :
       {std::tuple(3, 8, 1, 8, "3/8"), {0, 8, 0, 7, "1/8"}, {12, 3, 10, 12, "3/3"}}) {
    const Words array = {
        fmt::format("SLURM_ARRAY_TASK_ID={}", id), fmt::format("SLURM_ARRAY_TASK_COUNT={}", count),
        fmt::format("SLURM_ARRAY_TASK_MIN={}", first), fmt::format("SLURM_ARRAY_TASK_MAX={}", last)};
    const std::string second = in_array({}, {"--dry-run", "--shard", "2/9"}).output;
    CHECK(in_array(array, {"--dry-run"}).output == in_array({}, {"--dry-run", "--shard", shard}).output);
    CHECK(in_array(array, {"--dry-run", "--shard", "2/9"}).output == second);
  }
  check_has(in_array({"SLURM_CPUS_PER_TASK=1"}, {"--shard", "7/8"}).messages, ", with 1 thread\n");
}

TEST_CASE("shards on one folder at the same time, one of them twice: the bytes of a single run") {
  const TemporaryFolder shared;
  std::vector<pid_t> workers;
  for (const char* shard : {"1/3", "2/3", "2/3"})
    workers.push_back(start_program(quick_run(shared.path(), {"--shard", shard, "--jobs", "1"})));
  for (const pid_t worker : workers) CHECK(end_of(worker) == 0);
  const auto gather = as("gather", quick_run(shared.path()));
  const auto lines = lacp::split_text(check_ran(lacp_program(gather, {"--shards", "3"}), 1).output, '\n');
  const Ran planned = must_run(quick_run(shared.path(), {"--shard", "3/3", "--dry-run"}));
  CHECK(lines.size() == lacp::split_text(planned.output, '\n').size());
  CHECK(lines.at(0) == "shard,dataset,run,method,reason");
  for (std::size_t i = 1; i + 1 < lines.size(); ++i)
    CHECK((lines[i].starts_with("3,") && lines[i].ends_with(",not done")));

  must_run(quick_run(shared.path(), {"--shard", "3/3"}));
  for (const char* shards : {"2", "3"})  // as another number than there were, too
    CHECK(must_run(gather, {"--shards", shards}).output == "");
  CHECK(csv_files(shared / "smoke/cells").size() == 2);
  check_has(lacp::load_manifest(shared / "smoke").record, {"\nshard: 3/3\n", "\nfinished: true\n"});
  check_continuation(quick_run(shared.path()), shared.path(), 28);
}

TEST_CASE("failures of all shards are kept, shown before they are gathered, and gone once they are done") {
  const TemporaryFolder results;
  const auto sane = quick_run(results.path(), {"--methods", "exp,fixed", "--datasets", "concrete"}),
             absurd = joined(sane, diverging), status = as("status", absurd);
  for (const char* shard : {"1/2", "2/2"})
    check_ran(lacp_program(absurd, {"--shard", shard}), 1, std::string(" --shard ") + shard);
  check_ran(lacp_program(as("gather", absurd), {"--shards", "2"}), 1, {}, ",concrete,1,exp,failed: ");
  check_has(lacp_program(status).output, "smoke: 4 tasks, 2 done, 0 to run, 2 failed\n");

  for (const char* shard : {"1/2", "2/2"}) must_run(sane, {"--shard", shard});
  must_run(as("gather", sane), {"--shards", "2"});
  CHECK(failures_in(results / "smoke") == "");
}
