// The commands of the program: their options, and what is called with them.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/level.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;

/// What the command that was run ended with.
inline int exit_code = exit_done;

/// A command and its options, which live as long as it does. `action` returns the exit code, and throws
/// UserError or RunError, whose message is printed.
template <class Options>
std::pair<CLI::App&, Options&> add_command(CLI::App& program, const char* name, const char* about,
                                           int (*action)(const Options&)) {
  CLI::App* command = program.add_subcommand(name, about);
  const auto options = std::make_shared<Options>();
  command->callback([options, action] { exit_code = action(*options); });
  return {*command, *options};
}

/// Digits without needless zeros, which CLI11 would read as octal; it would take -1 for the largest number,
/// too. Returns what is wrong.
std::string read_count(std::string& text);

/// An option, or an argument if its name has no dashes. `type` is what help calls its values: DATASETS,
/// FOLDER; "text|csv" if it has to be one of these.
template <class T>
CLI::Option* add(CLI::App& command, const char* name, T& field, const char* type, const char* about) {
  CLI::Option* option = command.add_option(name, field, about)->type_name(type);
  if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::optional<std::uint64_t>>)
    option->transform(CLI::Validator(read_count, "", ""));
  if (const auto words = split_text(type, '|'); words.size() > 1) option->check(CLI::IsMember(words));
  return option;
}

// Options that several commands have.
void add_quiet(CLI::App& command);
void add_jobs(CLI::App& command, std::size_t& jobs);
void add_set(CLI::App& command, std::vector<std::string>& set, const char* about);
void add_datasets(CLI::App& command, std::vector<std::string>& datasets);
void add_sheet(CLI::App& command, std::string& sheet);
void add_datasets_folder(CLI::App& command, fs::path& folder);

void add_task_options(CLI::App& command, struct TaskOptions& options,
                      const char* experiment = "a yaml, its name, or results");

/// The argument `experiment`: a yaml, or the name of one in ./experiments or installed with the program.
void add_experiment(CLI::App& command, fs::path& experiment, const char* about);

/// What `fit` and `datasets add` may be told about a table that has no description.
void add_draft_options(CLI::App& command, struct DraftOptions& options);

/// `columns`: what a table has besides the columns of the fit.
void add_stream_options(CLI::App& command, struct StreamOptions& options, const char* columns,
                        const char* skip_bad);

/// What `--help` prints about a command, on lines that fit a terminal. `path`: "lacp run".
std::string help_text(const CLI::App& command, const std::string& path);

/// UserError unless the word is a command or an option: CLI11 would only say that a command is required.
void check_command(const CLI::App& program, const std::string& word);

/// How help sees an option or an argument.
struct OptionWords {
  std::string name;   ///< "--jobs", or what an argument is called
  std::string value;  ///< what it takes: "N", "FOLDER", "text|csv"; "" for a flag
  std::string about;
  bool argument = false;  ///< given by its place, without a name
  bool required = false;
  bool many = false;  ///< takes several values
};
std::vector<OptionWords> options_of(const CLI::App& command);
std::vector<const CLI::App*> commands_of(const CLI::App& command);  ///< those below it that are not hidden

// Each adds its commands to the program.
using AddCommands = void(CLI::App& program);
AddCommands add_fit, add_predict, add_evaluate, add_update, add_demo, add_info, add_datasets_command, add_run,
    add_gather, add_export, add_status, add_pack, add_verify, add_outputs, add_methods, add_help;

}  // namespace lacp
