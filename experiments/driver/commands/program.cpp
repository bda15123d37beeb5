// The program: its commands in the order of its help, options that several of them have, and errors.
#include "commands/program.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <new>
#include <sstream>

#include "commands/commands.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/version.hpp"
#include "lacp/model/kernels/kernels.hpp"

namespace lacp {
namespace {

struct HelpFormat : CLI::FormatterBase {
  std::string make_help(const CLI::App* app, std::string path, CLI::AppFormatMode) const override {
    return help_text(*app, path.empty() ? app->get_name() : path);
  }
};

/// key=value, and no file of that name.
bool is_setting(const std::string& word) {
  std::error_code ignored;  // a long value is no name of a file
  const std::string key = word.substr(0, word.find('='));
  return key.size() < word.size() && std::isalpha(static_cast<unsigned char>(word.front())) != 0 &&
         std::ranges::all_of(key, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; }) &&
         !std::filesystem::exists(word, ignored);
}

/// Arguments with `--set a=1 b=2` written as `--set a=1 --set b=2`: left to CLI11, an option that takes
/// several values would take the experiment behind them too. What `lacp complete` is asked about stays as it
/// is.
std::vector<std::string> split_settings(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "complete") return arguments;
  std::vector<std::string> split;
  bool after_set = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (after_set && is_setting(word))
      split.emplace_back("--set");
    else
      after_set = word == "--set" || word.starts_with("--set=");
    split.push_back(word);
    if (word == "--set" && i + 1 < arguments.size()) split.push_back(arguments[++i]);
  }
  return split;
}

/// A word that the command does not take, and what may have been meant.
std::string unknown_option(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  std::string path = "lacp help";
  std::vector<std::string> known = {"--help", "--version"};
  for (const std::string& word : arguments) {
    if (word.starts_with("--")) {
      const std::string name = word.substr(0, word.find('='));
      if (std::ranges::find(known, name) == known.end())
        return fmt::format("there is no option {}{}; `{}` lists them", show_text(name),
                           did_you_mean(name, known), path);
      continue;
    }
    for (const CLI::App* below : commands_of(*command))
      if (below->get_name() == word) {
        command = below, path += " " + word;
        for (const OptionWords& option : options_of(*command)) known.push_back(option.name);
        break;
      }
  }
  return fmt::format("there are more words than {} takes; `{}` has its usage", command->get_name(), path);
}

/// What was printed is part of the result: a full disk under `lacp status > file` must not pass for success.
int flush_output(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  tell("lacp: standard output cannot be written{}{}\n", errno == 0 ? "" : ": ",
       errno == 0 ? "" : std::strerror(errno));
  return exit_failed;
}

}  // namespace

void add_quiet(CLI::App& command) { command.add_flag("--quiet", quiet, "print errors only"); }

void add_jobs(CLI::App& command, std::size_t& jobs) {
  add(command, "--jobs", jobs, "N", "threads (default: SLURM_CPUS_PER_TASK, or as many as processors)")
      ->check(CLI::Range(1, 1024));
}

void add_set(CLI::App& command, std::vector<std::string>& set, const char* about) {
  add(command, "--set", set, "KEY=VALUE", about)->take_all()->allow_extra_args(false);
}

void add_datasets(CLI::App& command, std::vector<std::string>& datasets) {
  add(command, "--datasets", datasets, "DATASETS", "only these data sets, separated by commas")
      ->delimiter(',');
}

void add_datasets_folder(CLI::App& command, std::filesystem::path& folder) {
  add(command, "--datasets-folder", folder, "FOLDER",
      "folder of data set descriptions (default: ./datasets, or LACP_DATASETS)");
}

void add_task_options(CLI::App& command, TaskOptions& o, const char* experiment) {
  add(command, "experiment", o.experiment, "EXPERIMENT", experiment)->required();
  add_datasets(command, o.selection.datasets);
  add(command, "--methods", o.selection.methods, "METHODS", "only these methods, separated by commas")
      ->delimiter(',');
  add(command, "--runs", o.selection.runs, "N", "another number of runs")->check(CLI::Range(1, 100000));
  add_set(command, o.set, "other values of keys, e.g. --set training.epochs=20 runs=3");
  add(command, "--results", o.results, "FOLDER", "folder for results (default: results)");
  add(command, "--name", o.selection.name, "NAME",
      "results go to <results>/NAME instead of <results>/<experiment>");
  add_datasets_folder(command, o.datasets_folder);
}

std::string run_command(const TaskOptions& options, const std::vector<std::string>& datasets,
                        const std::vector<std::string>& methods, const std::string& shard) {
  const Selection& selection = options.selection;
  CommandLine command("lacp run " + shell_quoted(options.experiment.string()));
  const auto option = [&command](const char* name, const std::string& value) {
    if (!value.empty()) command.option(name, value);
  };
  option("--shard", shard);
  option("--datasets", join(datasets.empty() ? selection.datasets : datasets, ","));
  option("--methods", join(methods.empty() ? selection.methods : methods, ","));
  option("--runs", selection.runs == 0 ? "" : std::to_string(selection.runs));
  for (const std::string& item : options.set) option("--set", item);
  option("--name", selection.name);
  option("--results", options.results == "results" ? "" : options.results.string());
  option("--datasets-folder", options.datasets_folder.string());
  return command.text;
}

int lacp_main(const std::vector<std::string>& arguments) {
  exit_code = exit_done;
  CLI::App app("lacp: locally adaptive conformal prediction, and the experiments of Colombo (COPA 2023)",
               "lacp");
  app.formatter(std::make_shared<HelpFormat>());
  app.set_version_flag("--version", [] {
    return version_text() +
           fmt::format("  {:<10} {}\n  {:<10} {}\n", "kernels", kernels().name, "commit", program_commit);
  });
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 something failed while running, 2 the input is wrong.");
  for (const auto add_to :
       {add_fit, add_predict, add_evaluate, add_datasets_command, add_run, add_gather, add_export, add_status,
        add_pack, add_verify, add_outputs, add_methods, add_help, add_completion})
    add_to(app);
  try {
    kernels();  // a name that this processor does not know is told at once, not in the middle of a run
    std::vector<std::string> words = split_settings(arguments);
    if (!words.empty()) check_command(app, words.front());
    std::ranges::reverse(words);  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::ExtrasError&) {
    tell("lacp: {}\n", unknown_option(app, arguments));
    return exit_wrong_input;
  } catch (const CLI::ParseError& error) {
    std::ostringstream output, messages;  // of --help and --version, and of what is wrong
    const int status = app.exit(error, output, messages);
    tell("{}", messages.str());
    show("{}", output.str());
    return flush_output(status == 0 ? exit_done : exit_wrong_input);
  } catch (const UserError& error) {
    tell("lacp: {}\n", error.what());
    return exit_wrong_input;
  } catch (const std::bad_alloc&) {
    tell("lacp: there is not enough memory; try fewer --jobs, a smaller table or smaller settings\n");
    return exit_failed;
  } catch (const std::filesystem::filesystem_error& error) {
    tell("lacp: {}: {}\n", error.path1().string(), error.code().message());
    return exit_failed;
  } catch (const std::exception& error) {
    tell("lacp: {}\n", error.what());
    return exit_failed;
  }
  return flush_output(exit_code);
}

}  // namespace lacp
