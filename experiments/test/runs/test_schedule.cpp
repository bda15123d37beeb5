// The order in which tasks are done: the longest first.
#include <algorithm>
#include <regex>

#include "experiment/engine/plan.hpp"
#include "lacp_program.hpp"

using lacp::PlannedTask;
using lacp::Task;

namespace {

std::size_t rows_of(const std::string& dataset) { return dataset == "concrete" ? 5000 : 1000; }

double cost_of(const std::vector<PlannedTask>& planned, const Task& task) {
  return std::ranges::find(planned, task, &PlannedTask::task)->cost;
}

}  // namespace

TEST_CASE("the plan holds every task once, the longest first") {
  const lacp::Experiment e = lacp::load_experiment(smoke_yaml);
  const auto tasks = lacp::grid(e);
  CHECK(tasks.size() == e.datasets.size() * e.runs * e.methods.size());
  const auto planned = lacp::plan(e, tasks, rows_of);
  CHECK(std::ranges::is_sorted(planned, std::ranges::greater{}, &PlannedTask::cost));
  CHECK(planned[0].task == Task{"concrete", 0, "mixture"});
  CHECK(planned[1].task == Task{"concrete", 1, "mixture"});
  CHECK(planned.back().task == Task{"cos", 1, "fixed"});
  CHECK(planned.size() == tasks.size());
  for (const Task& task : tasks) CHECK(std::ranges::count(planned, task, &PlannedTask::task) == 1);
}

TEST_CASE("what tasks took before counts more than an estimate, for other runs too") {
  const lacp::Experiment e = lacp::load_experiment(smoke_yaml);
  const auto guessed = lacp::plan(e, lacp::grid(e), rows_of);
  const auto planned =
      lacp::plan(e, lacp::grid(e), rows_of, {{{"cos", 0, "exp"}, 50.0}, {{"cos", 1, "exp"}, 70.0}});
  CHECK(cost_of(planned, {"cos", 1, "exp"}) == doctest::Approx(60.0));
  // Of the others only the estimate is known, in the unit in which that of "exp" is what it took.
  CHECK(cost_of(planned, {"concrete", 0, "mixture"}) / 60.0 ==
        doctest::Approx(cost_of(guessed, {"concrete", 0, "mixture"}) / cost_of(guessed, {"cos", 0, "exp"})));
  const auto slow_erc =
      lacp::plan(e, lacp::grid(e), rows_of, {{{"cos", 0, "erc"}, 50.0}, {{"concrete", 0, "mixture"}, 1.0}});
  CHECK(slow_erc.front().task == Task{"cos", 0, "erc"});
  // A data set whose size is not known does not come last.
  const auto unknown =
      lacp::plan(e, lacp::grid(e), [](const std::string& name) { return name == "cos" ? 0u : 1000u; });
  CHECK(unknown.front().task.dataset == "cos");
}

TEST_CASE("a run ends with the idle share of its threads; one that does nothing has none") {
  const TemporaryFolder results;
  const auto command =
      quick_run(results.path(), {"--jobs", "2", "--datasets", "concrete", "--methods", "erc,fixed"});
  const std::string said = must_run(command).messages;
  CHECK_MESSAGE(std::regex_search(said, std::regex(R"(\nidle: (\d\d?|100) % of the time of 2 threads)")),
                said);
  check_lacks(lacp_program(command).messages, "idle: ");
}

TEST_CASE("times of an earlier run change the order of the tasks, and no byte of a cell") {
  const TemporaryFolder results;
  const auto run = quick_run(results.path(), {"--methods", "erc,exp", "--datasets", "concrete"});
  must_run(run);
  const auto cells = cells_in(results / "smoke");
  const auto again = joined(run, {"--force"});
  const auto order = [&](const char* slow) {
    for (const std::size_t run_number : {0u, 1u})
      for (const std::string method : {"erc", "exp"}) {
        lacp::Cell cell = found_in(results / "smoke", {"concrete", run_number, method}).cell.value();
        cell.seconds = run_number == 1 && method == slow ? 9.0 : 2.0;
        put_cell(results / "smoke", cell);
      }
    return lacp_program(again, {"--dry-run"}).output;
  };
  CHECK(order("erc").starts_with("concrete 0 erc\nconcrete 1 erc\nconcrete 0 exp\n"));
  CHECK(order("exp").starts_with("concrete 0 exp\nconcrete 1 exp\nconcrete 0 erc\n"));
  must_run(again);
  CHECK(cells_in(results / "smoke") == cells);
}
