// The program: its commands in the order of its help, options that several of them have, and errors.
#include "commands/program.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <sstream>

#include "commands/commands.hpp"
#include "common/advice.hpp"
#include "datasets/catalog.hpp"
#include "experiment/run/run.hpp"
#include "lacp/base/version.hpp"
#include "lacp/network/kernels/kernels.hpp"

namespace lacp {
namespace {

struct HelpFormat : CLI::FormatterBase {
  std::string make_help(const CLI::App* app, std::string path, CLI::AppFormatMode) const override {
    return help_text(*app, path.empty() ? app->get_name() : path);
  }
};

/// key=value, where no such file exists.
bool is_setting(const std::string& word) {
  std::error_code ignored;
  const std::string key = word.substr(0, word.find('='));
  return key.size() < word.size() && std::isalpha(static_cast<unsigned char>(word.front())) != 0 &&
         std::ranges::all_of(key, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; }) &&
         !fs::exists(word, ignored);
}

/// Arguments with `--set a=1 b=2` written as `--set a=1 --set b=2`: left to CLI11, an option that takes
/// several values would take the experiment behind them too.
std::vector<std::string> split_settings(const std::vector<std::string>& arguments) {
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

/// The command that the words lead to, and how its help is asked for. UserError for an option that there is
/// not, for one without its value, which CLI11 would take from the words behind it, and for an empty word, as
/// an unset variable of a shell leaves it.
std::pair<const CLI::App*, std::string> check_words(const CLI::App& app,
                                                    const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string help = "lacp help", path;
  std::map<std::string, std::string> known = {{"--help", ""}, {"--version", ""}};  // with what they take
  const auto refuse_empty = [](const std::string& word, const std::string& of) {
    if (word.empty() && of != "--missing") user_error("{}a word is empty", of.empty() ? "" : of + ": ");
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i], name = word.substr(0, word.find('='));
    refuse_empty(word, "");
    if (word.starts_with("--") && word.size() > 2) {
      const auto option = known.find(name);
      std::vector<std::string> names;
      for (const auto& [other, takes] : known) names.push_back(other);
      if (option == known.end()) {
        refuse_removed(path, name);
        user_error("there is no option {}{}; `{}` lists them", show_text(name), did_you_mean(name, names),
                   help);
      }
      const bool needs_next = word == name && !option->second.empty();
      const std::string next =
          i + 1 < words.size() ? words[i + 1].substr(0, words[i + 1].find('=')) : "--help";
      if (word == name + "=" || (needs_next && next.starts_with("--") && known.contains(next)))
        user_error("{}: has no value; expected {} behind it", name,
                   option->second.empty() ? "nothing" : option->second);
      if (needs_next) refuse_empty(words[++i], name);
      continue;
    }
    for (const CLI::App* below : commands_of(*command))
      if (below->get_name() == word) {
        command = below;
        help += " " + word;
        path += (path.empty() ? "" : " ") + word;
        for (const OptionWords& option : options_of(*below)) known.emplace(option.name, option.value);
        break;
      }
  }
  return {command, help};
}

/// What was printed is part of the result: a full disk under `lacp status > file` must not pass for success.
int flush_output(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  const std::string why = errno == 0 ? "" : fmt::format(": {}", std::strerror(errno));
  tell("lacp: standard output cannot be written{}\n", why);
  return exit_failed;
}

}  // namespace

std::string read_count(std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return fmt::format("found {}; expected a whole number from 0 to {}", show_text(text), UINT64_MAX);
  text = fmt::format("{}", number);
  return "";
}

void add_quiet(CLI::App& command) { command.add_flag("--quiet", quiet, "print errors only"); }

void add_jobs(CLI::App& command, std::size_t& jobs) {
  add(command, "--jobs", jobs, "N", "threads (default: all)")->check(CLI::Range(1, 1024));
}

void add_set(CLI::App& command, std::vector<std::string>& set, const char* about) {
  add(command, "--set", set, "KEY=VALUE", about)->take_all()->allow_extra_args(false);
}

void add_datasets(CLI::App& command, std::vector<std::string>& datasets) {
  add(command, "--datasets", datasets, "DATASETS", "only these data sets")->delimiter(',');
}

void add_datasets_folder(CLI::App& command, fs::path& folder) {
  add(command, "--datasets-folder", folder, "FOLDER", "./datasets, or LACP_DATASETS");
}

void add_sheet(CLI::App& command, std::string& sheet) {
  add(command, "--sheet", sheet, "NAME", "of an xlsx (default: first)");
}

void add_experiment(CLI::App& command, fs::path& experiment, const char* about) {
  const auto find = [](std::string& word) -> std::string {
    std::error_code ignored;
    if (fs::exists(word, ignored) || word.find('/') != std::string::npos || word.empty()) return "";
    for (const fs::path& folder : {fs::path("experiments"), installed_folder("experiments")})
      for (const std::string& name : {word, word + ".yaml"})
        if (const fs::path file = folder / name; fs::is_regular_file(file, ignored)) {
          word = file.string();
          return "";
        }
    return "";
  };
  add(command, "experiment", experiment, "EXPERIMENT", about)
      ->required()
      ->transform(CLI::Validator(find, "", "experiment"));
}

void add_task_options(CLI::App& command, TaskOptions& o, const char* experiment) {
  add_experiment(command, o.experiment, experiment);
  add_datasets(command, o.selection.datasets);
  add(command, "--methods", o.selection.methods, "METHODS", "only these methods")->delimiter(',');
  add(command, "--runs", o.selection.runs, "N", "another number of runs")->check(CLI::Range(1, 100000));
  add_set(command, o.set, "as training.epochs=20 runs=3");
  add(command, "--results", o.results, "FOLDER", "folder (default: results)");
  add(command, "--name", o.selection.name, "NAME", "of the folder in results");
  add_datasets_folder(command, o.datasets_folder);
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
       {add_fit, add_predict, add_evaluate, add_update, add_demo, add_info, add_datasets_command, add_run,
        add_gather, add_export, add_status, add_pack, add_verify, add_outputs, add_methods, add_help})
    add_to(app);
  const auto end_with = [](int code, const std::string& why) {
    tell("lacp: {}\n", why);
    return code;
  };
  try {
    kernels();  // a name that this processor does not know is told at once, not in the middle of a run
    std::vector<std::string> words = split_settings(arguments);
    if (words.empty()) {
      show("{}", help_text(app, "lacp"));
      return flush_output(exit_done);
    }
    check_command(app, words.front());
    check_words(app, words);
    std::ranges::reverse(words);  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::ExtrasError&) {
    const auto [command, help] = check_words(app, arguments);
    return end_with(exit_wrong_input, fmt::format("there are more words than {} takes; `{}` has its usage",
                                                  command->get_name(), help));
  } catch (const CLI::ParseError& error) {
    std::ostringstream output, messages;
    if (app.exit(error, output, messages) != 0) return end_with(exit_wrong_input, error.what());
    show("{}", output.str());  // of --help and --version
    return flush_output(exit_done);
  } catch (const Error& error) {
    const int code = dynamic_cast<const UserError*>(&error) != nullptr ? exit_wrong_input : exit_failed;
    return end_with(code, with_advice(error));
  } catch (const std::bad_alloc&) {
    return end_with(exit_failed, "there is not enough memory; try fewer --jobs or smaller settings");
  } catch (const fs::filesystem_error& error) {
    return end_with(exit_failed, error.path1().string() + ": " + error.code().message());
  } catch (const std::exception& error) {
    return end_with(exit_failed, error.what());
  }
  return flush_output(exit_code);
}

}  // namespace lacp
