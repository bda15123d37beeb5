#pragma once

#include <vector>

#include "settings/experiment.hpp"

namespace lacp {

/// All tasks of an experiment: data sets × runs × methods, in the order of the yaml.
std::vector<Task> grid(const Experiment& experiment);

}  // namespace lacp
