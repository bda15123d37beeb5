// The command line: every command and option. What a command does is in work/, analysis/ and report/.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/command_words.hpp"

namespace lacp {

// Each function adds its commands. A callback sets `exit_code` when it ends with anything but exit_done, and
// throws UserError or RunError otherwise; main prints the message.
void add_dataset_commands(CLI::App& app, int& exit_code);
void add_run_commands(CLI::App& app, int& exit_code);
void add_model_commands(CLI::App& app, int& exit_code);
void add_output_commands(CLI::App& app);
void add_help_commands(CLI::App& app);

/// What the program's help and the completion of shells know of its commands.
CommandWords words_of(const CLI::App& app);

/// UserError unless the word is a command or an option. CLI11 says of a wrong command only that one is
/// required.
void check_command(const CLI::App& app, const std::string& word);

// Options that several commands have.
void add_quiet(CLI::App& command);
CLI::Option* add_format(CLI::App& command, std::string& format, const std::vector<std::string>& formats);

}  // namespace lacp
