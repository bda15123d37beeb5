#pragma once

#include <functional>
#include <string>

#include "settings/experiment.hpp"
#include "store/cell.hpp"

namespace lacp {

struct Prepared;

/// Trains the method, makes its intervals on the test points and measures them. RunError, with the reason, if
/// the training diverges or an interval is not a number. `on_epoch` is called after every epoch and may
/// throw.
TaskResult run_task(const Experiment& experiment, const Prepared& prepared, const Task& task,
                    const std::function<void()>& on_epoch = {});

}  // namespace lacp
