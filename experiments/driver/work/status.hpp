#pragma once

#include "work/run.hpp"

namespace lacp {

/// Prints what is done of an experiment. A folder of results stands for the experiment in its manifest.
/// Returns the exit code.
int show_status(const RunRequest& request);

}  // namespace lacp
