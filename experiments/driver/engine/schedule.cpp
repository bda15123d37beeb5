#include "engine/schedule.hpp"

#include <algorithm>
#include <tuple>

#include "lacp/conformal/registry.hpp"

namespace lacp {
namespace {

/// Measured on the smoke experiment, relative to a class in closed form: the KNN part and the metrics that a
/// method without training still costs, and the root-finding of a class that is no scale family.
constexpr double untrained = 0.02, root_finding = 3.0;

/// Stands in for the size of a data set whose description does not say it.
constexpr std::size_t usual_rows = 10000;

double expected_cost(const Experiment& experiment, const Task& task, std::size_t rows) {
  const Method& method = find_method(task.method);
  const double size = static_cast<double>(rows == 0 ? usual_rows : rows);
  if (method.learning == Learning::none) return untrained * size;
  const double epochs = static_cast<double>(experiment.training.epochs);
  const bool finds_roots = method.learning == Learning::size && !method.scale_family;
  return size * experiment.split.train * epochs * (finds_roots ? root_finding : 1.0);
}

struct Mean {
  double sum = 0.0, count = 0.0;
};

}  // namespace

std::vector<PlannedTask> plan(const Experiment& experiment, const std::vector<Task>& tasks,
                              const std::function<std::size_t(const std::string&)>& rows,
                              const std::map<Task, double>& seconds) {
  std::map<std::pair<std::string, std::string>, Mean> measured;  // by data set and method
  for (const auto& [task, time] : seconds) {
    Mean& mean = measured[{task.dataset, task.method}];
    mean.sum += time, mean.count += 1.0;
  }
  std::vector<PlannedTask> planned;
  std::vector<bool> known;
  double known_seconds = 0.0, known_cost = 0.0;
  for (const Task& task : tasks) {
    double cost = expected_cost(experiment, task, rows(task.dataset));
    const auto found = measured.find({task.dataset, task.method});
    known.push_back(found != measured.end());
    if (known.back()) {
      known_cost += cost;
      cost = found->second.sum / found->second.count;
      known_seconds += cost;
    }
    planned.push_back({task, cost});
  }
  const double unit = known_seconds > 0.0 && known_cost > 0.0 ? known_seconds / known_cost : 1.0;
  for (std::size_t i = 0; i < planned.size(); ++i)
    if (!known[i]) planned[i].cost *= unit;
  std::ranges::sort(planned, {}, [](const PlannedTask& p) {
    return std::tuple(-p.cost, p.task.dataset, p.task.run, p.task.method);
  });
  return planned;
}

double total_cost(const std::vector<PlannedTask>& tasks) {
  double sum = 0.0;
  for (const PlannedTask& planned : tasks) sum += planned.cost;
  return sum;
}

}  // namespace lacp
