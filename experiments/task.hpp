#pragma once

#include <functional>
#include <string>

#include "experiment.hpp"
#include "prepare.hpp"

namespace lacp {

/// What one task leaves behind.
struct TaskResult {
  Cell cell;              ///< without its `settings` and `data`, which the store knows
  std::string intervals;  ///< csv of the whole intervals where the experiment keeps them; else ""
};

/// Trains the method, makes its intervals on the test points and measures them. RunError, with the reason, if
/// the training diverges or an interval is not a number. `on_epoch` is called after every epoch and may
/// throw.
TaskResult run_task(const Experiment& experiment, const Prepared& prepared, const Task& task,
                    const std::function<void()>& on_epoch = {});

}  // namespace lacp
