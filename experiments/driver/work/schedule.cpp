#include "work/schedule.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "lacp/conformal/registry.hpp"

namespace lacp {
namespace {

/// Measured on the smoke experiment, relative to a class in closed form: the KNN part and the metrics that a
/// method without training still costs, and the root-finding of a method with several outputs.
constexpr double untrained = 0.02, several_outputs = 3.0;

double expected_cost(const Experiment& experiment, const Task& task, std::size_t rows) {
  const MethodTraits method = method_traits(task.method);
  const double size = static_cast<double>(rows);
  if (method.learning == Learning::none) return untrained * size;
  const double epochs = static_cast<double>(experiment.training.epochs);
  return size * experiment.split.train * epochs * (method.outputs > 1 ? several_outputs : 1.0);
}

}  // namespace

std::vector<PlannedTask> plan(const Experiment& experiment, const std::vector<Task>& tasks,
                              const std::function<std::size_t(const std::string&)>& rows) {
  std::vector<PlannedTask> planned;
  std::map<std::pair<std::string, std::size_t>, double> group_cost;
  for (const Task& task : tasks) {
    const double cost = expected_cost(experiment, task, rows(task.dataset));
    planned.push_back({task, cost});
    group_cost[{task.dataset, task.run}] += cost;
  }
  std::ranges::stable_sort(planned, [&](const PlannedTask& a, const PlannedTask& b) {
    const double a_group = group_cost.at({a.task.dataset, a.task.run});
    const double b_group = group_cost.at({b.task.dataset, b.task.run});
    return std::tuple(-a_group, a.task.dataset, a.task.run, -a.cost) <
           std::tuple(-b_group, b.task.dataset, b.task.run, -b.cost);
  });
  return planned;
}

}  // namespace lacp
