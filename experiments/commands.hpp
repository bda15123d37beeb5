#pragma once

namespace CLI {
class App;
}

namespace lacp {

/// Exit codes of the program, documented in README.md.
enum ExitCode : int {
  exit_done = 0,
  exit_failed = 1,       ///< something failed while running; what was finished is kept
  exit_wrong_input = 2,  ///< the user's input is wrong
};

/// Each adds its subcommands to the program. A callback sets `exit_code` when it ends with anything but
/// exit_done, and throws UserError or RunError otherwise; main prints the message.
void add_dataset_commands(CLI::App& app, int& exit_code);  ///< datasets, datasets fetch, datasets check
void add_run_commands(CLI::App& app, int& exit_code);      ///< run, status
void add_output_commands(CLI::App& app, int& exit_code);   ///< table, compare, figures, ablation, report

}  // namespace lacp
