#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "settings/experiment.hpp"

namespace lacp {

/// A task and what it will cost, in units that only compare tasks with each other.
struct PlannedTask {
  Task task;
  double cost = 0.0;
};

/// The tasks, the longest first, so that no thread ends long after the others; WorkQueue sees to it that what
/// tasks share is not held for too many at once. `rows` tells the size of a data set, 0 if it is not known.
/// `seconds` has what tasks took before: a method that is in it for a data set costs their mean there, and
/// the estimates of the others are brought to the same unit.
std::vector<PlannedTask> plan(const Experiment& experiment, const std::vector<Task>& tasks,
                              const std::function<std::size_t(const std::string&)>& rows,
                              const std::map<Task, double>& seconds = {});

/// The sum of what they cost.
double total_cost(const std::vector<PlannedTask>& tasks);

}  // namespace lacp
