#pragma once

namespace lacp {

/// Exit codes of the program, documented in README.md.
enum ExitCode : int {
  exit_done = 0,
  exit_failed = 1,       ///< something failed while running, or does not verify; what was finished is kept
  exit_wrong_input = 2,  ///< the user's input is wrong
};

}  // namespace lacp
