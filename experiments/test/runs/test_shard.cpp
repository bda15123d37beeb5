#include <algorithm>

#include "common/threads.hpp"
#include "experiment/engine/plan.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
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

/// What `--dry-run` lists, without its last line.
std::vector<std::string> planned(std::vector<std::string> command) {
  command.push_back("--dry-run");
  const Ran ran = must_run(command);
  std::vector<std::string> lines = lacp::split_text(ran.output, '\n');
  lines.resize(lines.size() - 2);  // the total, and the nothing after the last line break
  return lines;
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

TEST_CASE("lacp run takes shard and threads from Slurm, and what is said explicitly goes first") {
  const TemporaryFolder results;
  const auto second = planned(quick_run(results.path(), {"--shard", "2/3"})),
             seventh = planned(quick_run(results.path(), {"--shard", "7/8"}));
  const WithVariables array(
      {{"SLURM_ARRAY_TASK_ID", "2"}, {"SLURM_ARRAY_TASK_COUNT", "3"}, {"SLURM_CPUS_PER_TASK", "1"}});
  CHECK(planned(quick_run(results.path())) == second);
  CHECK(planned(quick_run(results.path(), {"--shard", "7/8"})) == seventh);
  CHECK(has(lacp_program(quick_run(results.path(), {"--shard", "7/8"})).messages, ", with 1 thread\n"));
}

TEST_CASE("shards on one folder at the same time, one of them twice: the bytes of a single run") {
  const TemporaryFolder shared;
  std::vector<pid_t> workers;
  for (const char* shard : {"1/3", "2/3", "2/3"})
    workers.push_back(start_program(quick_run(shared.path(), {"--shard", shard, "--jobs", "1"})));
  for (const pid_t worker : workers) CHECK(end_of(worker) == 0);
  const auto gather = as("gather", quick_run(shared.path()));
  const auto lines = lacp::split_text(check_ran(lacp_program(gather, {"--shards", "3"}), 1).output, '\n');
  CHECK(lines.size() == planned(quick_run(shared.path(), {"--shard", "3/3"})).size() + 2);
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

TEST_CASE("after shards and gather, units.csv and the page beside published numbers are those of one run") {
  const TemporaryFolder root;
  lacp::write_file(root / "beside.csv", "dataset,method,crps\ncos,A,9.9\nconcrete,A,99\n");
  lacp::write_file(root / "joined.yaml",
                   "based_on: " + smoke_yaml.string() +
                       "\nmethods: [fixed, forest]\npredictor: {cross_fit: 3}\nevaluation: {crps: true}\n"
                       "keep_intervals: {datasets: []}\nreference: {file: '', beside: beside.csv}\n");
  const auto command = [&](const char* name, const char* results, const Words& more) {
    must_run({name, root / "joined.yaml", "--results", root / results, "--datasets-folder", source_datasets},
             more);
  };
  command("run", "alone", {});
  for (const char* shard : {"1/2", "2/2"}) command("run", "shared", {"--shard", shard});
  command("gather", "shared", {"--shards", "2"});
  std::vector<std::string> units, pages;
  for (const char* results : {"alone", "shared"}) {
    const fs::path folder = root / results / "joined";
    must_run({"report", folder});
    units.push_back(lacp::read_file(folder / "units.csv"));
    const std::string page = lacp::read_file(folder / "README.md");
    pages.push_back(page.substr(page.find("## Beside published CRPS")));
  }
  CHECK(units[0] == units[1]);
  check_has(pages[1], "`forest` is below every published column on 2 of 2 data sets:");
  CHECK(pages[0] == pages[1]);
}

TEST_CASE("failures of all shards are kept, shown before they are gathered, and gone once they are done") {
  const TemporaryFolder results;
  const auto sane = quick_run(results.path(), {"--methods", "exp,fixed", "--datasets", "concrete"}),
             absurd = joined(sane, diverging), status = as("status", absurd);
  for (const char* shard : {"1/2", "2/2"})
    check_ran(lacp_program(absurd, {"--shard", shard}), 1, std::string(" --shard ") + shard);
  check_has(lacp_program(status).output, "smoke: 4 tasks, 2 done, 0 to run, 2 failed\n");
  check_ran(lacp_program(as("gather", absurd), {"--shards", "2"}), 1, {}, ",concrete,1,exp,failed: ");
  CHECK(count(failures_in(results / "smoke"), "\n") == 2);
  check_has(lacp_program(status).output, "smoke: 4 tasks, 2 done, 0 to run, 2 failed\n");

  for (const char* shard : {"1/2", "2/2"}) must_run(sane, {"--shard", shard});
  must_run(as("gather", sane), {"--shards", "2"});
  CHECK(failures_in(results / "smoke") == "");
}

TEST_CASE("gathering again and again beside a shard at work loses none of its failures") {
  const TemporaryFolder results;
  const fs::path folder = fs::path(LACP_SOURCE_DIR) / "experiments/test/runs/many_tasks";
  const auto run = joined({"run", (folder / "many_tasks.yaml").string(), "--datasets-folder",
                           (folder / "datasets").string(), "--results", results.path().string(), "--runs",
                           "300", "--methods", "exp", "--set", "network.hidden=[4]"},
                          diverging);
  const pid_t shard = start_program(joined(run, {"--shard", "1/2"}));
  int gathered = 0;
  for (; at_work(shard); ++gathered) lacp_program(as("gather", run), {"--shards", "2"});
  CHECK(end_of(shard) == 1);
  CHECK(gathered > 1);
  lacp_program(as("gather", run), {"--shards", "2"});
  check_has(lacp_program(as("status", run)).output, "300 tasks, 0 done, 150 to run, 150 failed\n");
}
