#pragma once

#include <string>
#include <vector>

#include "store/survey.hpp"
#include "work/run.hpp"

namespace lacp {

/// What a call has to do.
struct Todo {
  std::vector<Task> tasks;
  std::vector<std::string> left_out;  ///< data sets that are needed and whose files are missing
  Failures failed;                    ///< failed before, and would again
  std::size_t done_before = 0;
};

/// Of what the survey found, by what the request says about doing things again. Tells of damaged and stale
/// cells.
Todo find_todo(const Experiment& experiment, const Survey& survey, const RunRequest& request);

}  // namespace lacp
