#pragma once

#include <string>
#include <vector>

namespace lacp::bench {

/// What a program used.
struct Usage {
  double wall = 0.0, cpu = 0.0;  // seconds
  double peak = 0.0;             // bytes of memory
};

/// Runs a program on every core, without its output, and waits for it. RunError if it ends with anything but
/// exit_done or exit_failed: a task that failed is part of the work, since the released code's settings make
/// some trainings diverge.
Usage run_child(const std::vector<std::string>& command);

}  // namespace lacp::bench
