#pragma once

#include <functional>
#include <string>
#include <vector>

#include "settings/experiment.hpp"

namespace lacp {

/// A task and what it will cost, in units that only compare tasks with each other.
struct PlannedTask {
  Task task;
  double cost = 0.0;
};

/// The tasks in the order in which they are best done, `rows` telling the size of a data set. Tasks of one
/// (data set, run) stay together, so that what they share is held for a short time only; expensive ones come
/// first, so that no thread ends long after the others.
std::vector<PlannedTask> plan(const Experiment& experiment, const std::vector<Task>& tasks,
                              const std::function<std::size_t(const std::string&)>& rows);

}  // namespace lacp
