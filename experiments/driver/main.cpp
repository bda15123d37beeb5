// The command line: every command and option, and nothing else. What a command does is in work/ and output/.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>

#include "common/exit_code.hpp"
#include "common/message.hpp"
#include "lacp/base/blas.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/version.hpp"
#include "output/commands.hpp"
#include "work/dataset_commands.hpp"
#include "work/gather.hpp"
#include "work/pack.hpp"
#include "work/run.hpp"
#include "work/status.hpp"

namespace {

namespace fs = std::filesystem;

// Each function adds its commands. A callback sets `exit_code` when it ends with anything but exit_done, and
// throws UserError or RunError otherwise; main prints the message.

void add_dataset_commands(CLI::App& app, int& exit_code) {
  struct Options {
    fs::path folder, mirror;
    std::vector<std::string> names;  // for fetch
    std::string name;                // for check
    fs::path file;                   // for add, with a target
    std::string target;
  };
  auto options = std::make_shared<Options>();
  CLI::App* datasets =
      app.add_subcommand("datasets", "List the data sets, get their files, check one, add one");
  datasets->add_option("--datasets-folder", options->folder,
                       "Folder of the descriptions (default: LACP_DATASETS, or ./datasets)");
  datasets->require_subcommand(0, 1);
  datasets->callback([=, &exit_code] {
    if (datasets->get_subcommands().empty()) exit_code = lacp::list_datasets(options->folder);
  });

  CLI::App* fetch = datasets->add_subcommand("fetch", "Get the files that are missing into the cache");
  fetch->add_option("NAME", options->names, "Data sets to get (default: all)");
  fetch->add_option("--mirror", options->mirror,
                    "Folder of downloaded files to look into first (default: LACP_MIRROR)");
  fetch->fallthrough();
  fetch->callback([=, &exit_code] {
    exit_code = lacp::fetch_datasets(options->folder, options->mirror, options->names);
  });

  CLI::App* check =
      datasets->add_subcommand("check", "Read one as an experiment would, and say what is in it");
  check->add_option("NAME", options->name, "Data set, or path of a description (.yaml)")->required();
  check->fallthrough();
  check->callback([=, &exit_code] { exit_code = lacp::show_check(options->folder, options->name); });

  CLI::App* add = datasets->add_subcommand("add", "Write a draft of the description of a file, and check it");
  add->add_option("FILE", options->file, "A table: csv, csv.gz or xlsx; the data set is named after it")
      ->required();
  add->add_option("--target", options->target, "Column to predict (default: the last one of numbers)");
  add->fallthrough();
  add->callback(
      [=, &exit_code] { exit_code = lacp::add_dataset(options->folder, options->file, options->target); });
}

void add_common_options(CLI::App& command, lacp::RunRequest& request) {
  command.add_option("--datasets", request.selection.datasets, "only these data sets, separated by commas")
      ->delimiter(',');
  command.add_option("--methods", request.selection.methods, "only these methods, separated by commas")
      ->delimiter(',');
  command.add_option("--runs", request.selection.runs, "another number of runs")
      ->check(CLI::Range(1, 100000));
  command.add_option("--set", request.set, "other values of keys, e.g. --set training.epochs=20 runs=3")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--results", request.results, "folder for results")->capture_default_str();
  command.add_option("--name", request.selection.name,
                     "results go to <results>/NAME instead of <results>/<experiment>");
  command.add_option("--datasets-folder", request.datasets_folder,
                     "folder of data set descriptions (default: LACP_DATASETS, or ./datasets)");
}

void add_run_commands(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<lacp::RunRequest>();
  request->results = "results";

  CLI::App* run = app.add_subcommand("run", "Run the missing tasks of an experiment");
  run->add_option("experiment", request->experiment, "experiment yaml")->required();
  add_common_options(*run, *request);
  run->add_option("--jobs", request->jobs, "threads (default: SLURM_CPUS_PER_TASK, or as many as processors)")
      ->check(CLI::Range(1, 1024));
  run->add_option("--shard", request->shard,
                  "i/N: only the i-th of N shares (default: that of the Slurm array task, or everything)");
  run->add_option("--mirror", request->mirror, "folder in which files of data sets are looked for");
  run->add_flag("--force", request->force, "do again what is done; replaces results of other settings");
  run->add_flag("--redo", request->redo,
                "do again, once, what came with the folder; redone.csv there keeps account");
  run->add_flag("--retry-failed", request->retry_failed, "try again what failed with the same settings");
  run->add_flag("--dry-run", request->dry_run, "print the tasks and do nothing");
  run->add_flag("--strict", request->strict, "a data set that is not at hand is a failure");
  run->callback([request, &exit_code] { exit_code = lacp::run_experiment(*request); });

  CLI::App* gather = app.add_subcommand("gather", "Bring together what the shards of an experiment left");
  const auto shards = std::make_shared<std::size_t>(0);
  gather->add_option("experiment", request->experiment, "experiment yaml")->required();
  gather->add_option("--shards", *shards, "how many there were")->required()->check(CLI::Range(1, 1000000));
  add_common_options(*gather, *request);
  gather->callback([request, shards, &exit_code] { exit_code = lacp::gather_shards(*request, *shards); });

  CLI::App* status = app.add_subcommand("status", "Show the progress of an experiment");
  status->add_option("experiment", request->experiment, "experiment yaml, or its folder of results")
      ->required();
  add_common_options(*status, *request);
  status->callback([request, &exit_code] { exit_code = lacp::show_status(*request); });
}

void add_pack_command(CLI::App& app, int& exit_code) {
  CLI::App* pack =
      app.add_subcommand("pack", "Gather finished cells into one csv per data set (cells/<dataset>.csv)");
  auto folders = std::make_shared<std::vector<fs::path>>();
  pack->add_option("folders", *folders, "results/<experiment>, one or more")->required();
  pack->callback([folders, &exit_code] { exit_code = lacp::pack_results(*folders); });
}

CLI::App* add_output_command(CLI::App& app, const char* name, const char* help,
                             std::function<void(const lacp::Folders&)> action) {
  CLI::App* command = app.add_subcommand(name, help);
  auto folders = std::make_shared<lacp::Folders>();
  command->add_option("folders", *folders, "results/<experiment>, one or more")->required();
  command->callback([folders, action = std::move(action)] { action(*folders); });
  return command;
}

void add_output_commands(CLI::App& app) {
  add_output_command(app, "table", "Write Table 1 (table.csv, table.tex) from the cells", lacp::make_tables);
  add_output_command(app, "compare", "Compare with the published table (comparison.csv, .tex, verdicts.csv)",
                     lacp::make_comparisons);
  add_output_command(app, "figures", "Draw the figures, with their data beside them, in figures/",
                     lacp::make_figures);
  auto output = std::make_shared<fs::path>();
  add_output_command(app, "ablation",
                     "Compare changed protocols with the unchanged ones (ablation.csv, README.md)",
                     [output](const lacp::Folders& groups) { lacp::make_ablation(groups, *output); })
      ->add_option("--output", *output, "folder for the files")
      ->required();
  add_output_command(app, "report",
                     "Remake all outputs and write README.md; takes results/ or experiments in it",
                     lacp::make_report);
}

/// What was printed is part of the result: a full disk under `lacp status > file` must not pass for success.
int flush_output(int exit_code) {
  if (std::fflush(stdout) == 0) return exit_code;
  lacp::tell("lacp: standard output cannot be written: {}\n", std::strerror(errno));
  return lacp::exit_failed;
}

/// CLI11 says of a wrong command only that one is required.
void check_command(const CLI::App& app, const std::string& word) {
  if (word.empty() || word.front() == '-') return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  if (std::ranges::find(known, word) == known.end())
    lacp::user_error("there is no command {}{}; known: {}", lacp::show_text(word),
                     lacp::did_you_mean(word, known), lacp::join(known, ", "));
}

/// key=value, and no file of that name.
bool is_setting(const std::string& word) {
  const std::string key = word.substr(0, word.find('='));
  return key.size() < word.size() && std::isalpha(static_cast<unsigned char>(word.front())) != 0 &&
         std::ranges::all_of(key, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; }) &&
         !fs::exists(word);
}

/// The command line with `--set a=1 b=2` written as `--set a=1 --set b=2`: left to CLI11, an option that
/// takes several values would take the experiment behind them too.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments;
  bool after_set = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (after_set && is_setting(word))
      arguments.emplace_back("--set");
    else
      after_set = word == "--set" || word.starts_with("--set=");
    arguments.push_back(word);
    if (word == "--set" && i + 1 < argc) arguments.emplace_back(argv[++i]);
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a failed write with a message, not a sudden end
  lacp::use_one_blas_thread();
  int exit_code = lacp::exit_done;
  CLI::App app("lacp: locally adaptive conformal prediction, and the experiments of Colombo (COPA 2023)",
               "lacp");
  app.set_version_flag("--version", lacp::version_text());
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 something failed while running, 2 the input is wrong.");
  add_dataset_commands(app, exit_code);
  add_run_commands(app, exit_code);
  add_pack_command(app, exit_code);
  add_output_commands(app);
  try {
    std::vector<std::string> arguments = arguments_of(argc, argv);
    if (!arguments.empty()) check_command(app, arguments.front());
    std::ranges::reverse(arguments);  // as CLI11 takes them
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? lacp::exit_done : lacp::exit_wrong_input;
  } catch (const lacp::UserError& error) {
    lacp::tell("lacp: {}\n", error.what());
    return lacp::exit_wrong_input;
  } catch (const std::exception& error) {
    lacp::tell("lacp: {}\n", error.what());
    return lacp::exit_failed;
  }
  return flush_output(exit_code);
}
