// The command line: every command and option, and nothing else. What a command does is in work/ and output/.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>

#include "common/command_line.hpp"
#include "common/completion.hpp"
#include "common/exit_code.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/version.hpp"
#include "lacp/model/kernels/kernels.hpp"
#include "output/commands.hpp"
#include "settings/method_help.hpp"
#include "settings/setting_help.hpp"
#include "work/dataset_commands.hpp"
#include "work/export.hpp"
#include "work/gather.hpp"
#include "work/model_commands.hpp"
#include "work/pack.hpp"
#include "work/run.hpp"
#include "work/status.hpp"
#include "work/value_words.hpp"
#include "work/verify.hpp"

namespace {

namespace fs = std::filesystem;

lacp::CommandWords words_of(const CLI::App& app) {
  lacp::CommandWords words{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden, as the commands below
    const bool flag = option->get_items_expected_max() == 0, argument = option->get_positional();
    const std::string type = option->get_type_name();  // its checks follow a colon
    words.options.push_back({argument ? option->get_name(true) : "--" + option->get_lnames().at(0),
                             flag ? "" : type.substr(0, type.find(':')), option->get_description(), argument,
                             option->get_required(), option->get_items_expected_max() > 1});
  }
  for (const CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty()) words.commands.push_back(words_of(*command));
  return words;
}

struct HelpFormat : CLI::FormatterBase {
  std::string make_help(const CLI::App* app, std::string path, CLI::AppFormatMode) const override {
    return lacp::help_text(words_of(*app), path.empty() ? app->get_name() : path);
  }
};

// Each function adds its commands. A callback sets `exit_code` when it ends with anything but exit_done, and
// throws UserError or RunError otherwise; main prints the message.

void add_dataset_commands(CLI::App& app, int& exit_code) {
  struct Options {
    fs::path folder, mirror;
    std::vector<std::string> names;  // for fetch
    std::vector<fs::path> experiments;
    std::string name;  // for check
    fs::path file;     // for add, with a target
    std::string target;
  };
  auto options = std::make_shared<Options>();
  CLI::App* datasets =
      app.add_subcommand("datasets", "List the data sets, get their files, check one, add one");
  datasets
      ->add_option("--datasets-folder", options->folder,
                   "folder of the descriptions (default: LACP_DATASETS, or ./datasets)")
      ->type_name("FOLDER");
  datasets->require_subcommand(0, 1);
  datasets->callback([=, &exit_code] {
    if (datasets->get_subcommands().empty()) exit_code = lacp::list_datasets(options->folder);
  });

  CLI::App* fetch = datasets->add_subcommand("fetch", "Get the files that are missing into the cache");
  fetch->add_option("NAME", options->names, "data sets to get (default: all)")->type_name("DATASET");
  fetch->add_option("--for", options->experiments, "get those of an experiment; can be given several times")
      ->type_name("EXPERIMENT");
  fetch
      ->add_option("--mirror", options->mirror,
                   "folder of downloaded files to look into first (default: LACP_MIRROR)")
      ->type_name("FOLDER");
  fetch->fallthrough();
  fetch->callback([=, &exit_code] {
    exit_code = lacp::fetch_datasets(options->folder, options->mirror, options->names, options->experiments);
  });

  CLI::App* check =
      datasets->add_subcommand("check", "Read one as an experiment would, and say what is in it");
  check->add_option("NAME", options->name, "data set, or path of a description (.yaml)")
      ->required()
      ->type_name("DATASET");
  check->fallthrough();
  check->callback([=, &exit_code] { exit_code = lacp::show_check(options->folder, options->name); });

  CLI::App* add = datasets->add_subcommand("add", "Write a draft of the description of a file, and check it");
  add->add_option("FILE", options->file, "a table: csv, csv.gz or xlsx; the data set is named after it")
      ->required();
  add->add_option("--target", options->target, "column to predict (default: the last one of numbers)")
      ->type_name("COLUMN");
  add->fallthrough();
  add->callback(
      [=, &exit_code] { exit_code = lacp::add_dataset(options->folder, options->file, options->target); });
}

void add_quiet(CLI::App& command) { command.add_flag("--quiet", lacp::quiet, "print errors only"); }

CLI::Option* add_format(CLI::App& command, std::string& format, const std::vector<std::string>& formats) {
  return command.add_option("--format", format, "how to print it (default: text)")
      ->check(CLI::IsMember(formats))
      ->type_name(lacp::join(formats, "|"));
}

void add_common_options(CLI::App& command, lacp::RunRequest& request) {
  command.add_option("--datasets", request.selection.datasets, "only these data sets, separated by commas")
      ->delimiter(',')
      ->type_name("DATASETS");
  command.add_option("--methods", request.selection.methods, "only these methods, separated by commas")
      ->delimiter(',')
      ->type_name("METHODS");
  command.add_option("--runs", request.selection.runs, "another number of runs")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command.add_option("--set", request.set, "other values of keys, e.g. --set training.epochs=20 runs=3")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command.add_option("--results", request.results, "folder for results (default: results)")
      ->type_name("FOLDER");
  command
      .add_option("--name", request.selection.name,
                  "results go to <results>/NAME instead of <results>/<experiment>")
      ->type_name("NAME");
  command
      .add_option("--datasets-folder", request.datasets_folder,
                  "folder of data set descriptions (default: LACP_DATASETS, or ./datasets)")
      ->type_name("FOLDER");
}

void add_run_commands(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<lacp::RunRequest>();
  request->results = "results";

  CLI::App* run = app.add_subcommand("run", "Run the missing tasks of an experiment");
  run->add_option("experiment", request->experiment, "experiment yaml")->required()->type_name("EXPERIMENT");
  add_common_options(*run, *request);
  run->add_option("--jobs", request->jobs, "threads (default: SLURM_CPUS_PER_TASK, or as many as processors)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  run->add_option("--shard", request->shard,
                  "i/N: only the i-th of N shares (default: that of the Slurm array task, or everything)")
      ->type_name("I/N");
  run->add_option("--mirror", request->mirror, "folder in which files of data sets are looked for")
      ->type_name("FOLDER");
  run->add_flag("--force", request->force, "do again what is done; replaces results of other settings");
  run->add_flag("--redo", request->redo,
                "do again, once, what came with the folder; redone.csv there records it");
  run->add_flag("--retry-failed", request->retry_failed, "try again what failed with the same settings");
  run->add_flag("--dry-run", request->dry_run, "print the tasks and do nothing");
  run->add_flag("--strict", request->strict, "a data set whose file is missing is a failure");
  add_quiet(*run);
  request->finished = lacp::finish_run;
  run->callback([request, &exit_code] { exit_code = lacp::run_experiment(*request); });

  CLI::App* gather = app.add_subcommand("gather", "Bring together what the shards of an experiment left");
  const auto shards = std::make_shared<std::size_t>(0);
  gather->add_option("experiment", request->experiment, "experiment yaml")
      ->required()
      ->type_name("EXPERIMENT");
  gather->add_option("--shards", *shards, "how many there were")
      ->required()
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  add_common_options(*gather, *request);
  gather->callback([request, shards, &exit_code] { exit_code = lacp::gather_shards(*request, *shards); });

  CLI::App* exported = app.add_subcommand(
      "export", "Write the rows of a run as its methods see them, for other programs: FOLDER/<dataset>.csv");
  const auto rows = std::make_shared<lacp::ExportRequest>();
  exported->add_option("experiment", rows->experiment, "experiment yaml")
      ->required()
      ->type_name("EXPERIMENT");
  exported->add_option("--datasets", rows->datasets, "only these data sets, separated by commas")
      ->delimiter(',')
      ->type_name("DATASETS");
  exported->add_option("--run", rows->run, "which run, from 0 (default: 0)")->type_name("N");
  exported->add_option("--output", rows->output, "folder for the files")->required()->type_name("FOLDER");
  exported
      ->add_option("--datasets-folder", rows->datasets_folder,
                   "folder of data set descriptions (default: LACP_DATASETS, or ./datasets)")
      ->type_name("FOLDER");
  add_quiet(*exported);
  exported->callback([rows, &exit_code] { exit_code = lacp::export_rows(*rows); });

  CLI::App* status = app.add_subcommand("status", "Show the progress of an experiment");
  status->add_option("experiment", request->experiment, "experiment yaml, or its folder of results")
      ->required()
      ->type_name("EXPERIMENT");
  add_common_options(*status, *request);
  status->callback([request, &exit_code] { exit_code = lacp::show_status(*request); });
}

void add_pack_command(CLI::App& app, int& exit_code) {
  CLI::App* pack =
      app.add_subcommand("pack", "Gather finished cells into one csv per data set (cells/<dataset>.csv)");
  auto folders = std::make_shared<std::vector<fs::path>>();
  pack->add_option("folders", *folders, "results/<experiment>, one or more")->required()->type_name("FOLDER");
  add_quiet(*pack);
  pack->callback([folders, &exit_code] { exit_code = lacp::pack_results(*folders); });
}

void add_verify_command(CLI::App& app, int& exit_code) {
  CLI::App* verify =
      app.add_subcommand("verify", "Compute cells of a folder again and compare the bytes; writes nothing");
  const auto request = std::make_shared<lacp::VerifyRequest>();
  verify->add_option("folder", request->folder, "results/<experiment>")->required()->type_name("FOLDER");
  verify->add_option("--sample", request->sample, "this many cells, drawn at random (default: all)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000000));
  verify->add_option("--seed", request->seed, "of the drawing: the same seed draws the same cells anywhere")
      ->type_name("N")
      ->capture_default_str();
  verify
      ->add_option("--jobs", request->jobs,
                   "threads (default: SLURM_CPUS_PER_TASK, or as many as processors)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  verify
      ->add_option("--datasets-folder", request->datasets_folder,
                   "folder of data set descriptions (default: LACP_DATASETS, or ./datasets)")
      ->type_name("FOLDER");
  verify->footer(
      "Exit codes: 0 all agree, 1 some differ, 2 no such folder, or cells made by another algorithm, with other settings or from other data.");
  verify->callback([request, &exit_code] { exit_code = lacp::verify_results(*request); });
}

void add_model_commands(CLI::App& app, int& exit_code) {
  const auto fit = std::make_shared<lacp::FitRequest>();
  CLI::App* command = app.add_subcommand("fit", "Fit a model to a csv of your own, or to a data set");
  command
      ->add_option("DATA", fit->data, "a table (csv, csv.gz or xlsx), a data set, or its description (.yaml)")
      ->required()
      ->type_name("DATASET");
  command->add_option("--target", fit->target, "column to predict (default: the last one of numbers)")
      ->type_name("COLUMN");
  command->add_option("--model", fit->model, "file for the model")->required()->type_name("FILE");
  command->add_option("--method", fit->method, "one of `lacp methods` (default: exp)")->type_name("METHOD");
  command->add_option("--levels", fit->levels, "levels α of the intervals (default: 0.05,0.1,0.32)")
      ->delimiter(',')
      ->type_name("LEVELS");
  command->add_option("--seed", fit->seed, "where all random numbers begin (default: 1)")->type_name("N");
  command->add_option("--set", fit->set, "settings of an experiment, e.g. --set training.epochs=20")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command
      ->add_option("--datasets-folder", fit->datasets_folder,
                   "folder of data set descriptions (default: LACP_DATASETS, or ./datasets)")
      ->type_name("FOLDER");
  add_quiet(*command);
  command->callback([fit, &exit_code] { exit_code = lacp::fit_model(*fit); });

  const auto request = std::make_shared<lacp::PredictRequest>();
  const auto unseen = std::make_shared<std::string>("error");
  const auto add = [&](const char* name, const char* help, const char* table, const char* skip_bad,
                       auto action) {
    CLI::App* added = app.add_subcommand(name, help);
    added->add_option("MODEL", request->model, "what `lacp fit` wrote")->required()->type_name("FILE");
    added->add_option("TABLE", request->table, table)->required()->type_name("FILE");
    added->add_option("--unseen", *unseen, "categories that the fit has not seen (default: error)")
        ->check(CLI::IsMember({"error", "zeros"}))
        ->type_name("error|zeros");
    added->add_flag("--skip-bad", request->skip_bad, skip_bad);
    added
        ->add_option("--jobs", request->jobs,
                     "threads (default: SLURM_CPUS_PER_TASK, or as many as processors)")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    add_quiet(*added);
    added->callback([request, unseen, action, &exit_code] {
      request->unseen_zeros = *unseen == "zeros";
      exit_code = action(*request);
    });
    return added;
  };
  CLI::App* predict =
      add("predict", "Predict the rows of a csv: intervals from a fitted model",
          "csv or csv.gz with the columns of the fit, in any order",
          "rows that cannot be predicted go to OUTPUT.bad.csv, with the reason", lacp::predict_table);
  predict->add_option("--output", request->output, "csv for the intervals (default: standard output)")
      ->type_name("FILE");
  add("evaluate", "Compare the intervals of a fitted model with what happened",
      "csv or csv.gz with the columns of the fit and the target",
      "rows that cannot be predicted are left out and counted", lacp::evaluate_table);
}

CLI::App* add_output_command(CLI::App& app, const char* name, const char* help,
                             std::function<void(const lacp::Folders&)> action) {
  CLI::App* command = app.add_subcommand(name, help);
  auto folders = std::make_shared<lacp::Folders>();
  command->add_option("folders", *folders, "results/<experiment>, one or more")
      ->required()
      ->type_name("FOLDER");
  add_quiet(*command);
  command->callback([folders, action = std::move(action)] { action(*folders); });
  return command;
}

void add_output_commands(CLI::App& app) {
  auto format = std::make_shared<std::string>("text");
  CLI::App* table =
      add_output_command(app, "table", "Print the table of the results, and write table.csv and table.tex",
                         [format](const lacp::Folders& folders) { lacp::make_tables(folders, *format); });
  add_format(*table, *format, {"text", "csv", "latex", "markdown"});
  CLI::App* compare = add_output_command(
      app, "compare",
      "Compare two folders of results, task by task; and each that names a published table with that (comparison.csv, comparison.tex, verdicts.csv)",
      [format](const lacp::Folders& folders) { lacp::make_comparisons(folders, *format); });
  add_format(*compare, *format, {"text", "csv", "markdown"});
  add_output_command(app, "figures", "Draw the figures, with their data beside them, in figures/",
                     lacp::make_figures);
  auto output = std::make_shared<fs::path>();
  add_output_command(app, "ablation",
                     "Compare changed protocols with the unchanged ones (ablation.csv, README.md)",
                     [output](const lacp::Folders& groups) { lacp::make_ablation(groups, *output); })
      ->add_option("--output", *output, "folder for the files")
      ->type_name("FOLDER")
      ->required();
  add_output_command(
      app, "report",
      "Remake all outputs and write README.md and index.html; takes results/ or experiments in it",
      lacp::make_report);
}

/// CLI11 says of a wrong command only that one is required.
void check_command(const CLI::App& app, const std::string& word) {
  if (word.empty() || word.front() == '-') return;
  std::vector<std::string> known;
  for (const lacp::CommandWords& command : words_of(app).commands) known.push_back(command.name);
  if (word != "complete" && std::ranges::find(known, word) == known.end())
    lacp::user_error("there is no command {}{}; known: {}", lacp::show_text(word),
                     lacp::did_you_mean(word, known), lacp::join(known, ", "));
}

void add_help_commands(CLI::App& app) {
  struct Options {
    std::vector<std::string> about;
    bool markdown = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* methods = app.add_subcommand("methods", "List the methods, with their equations");
  methods->add_flag("--markdown", options->markdown, "as a page has them");
  methods->callback(
      [options] { fmt::print("{}", options->markdown ? lacp::methods_markdown() : lacp::methods_text()); });
  CLI::App* help = app.add_subcommand("help", "Explain a command, or the settings of an experiment");
  help->add_option("TOPIC", options->about, "a command, or: settings [KEY]")->type_name("TOPIC");
  help->add_flag("--markdown", options->markdown, "the settings as a page has them");
  help->callback([options, &app] {
    const std::vector<std::string>& about = options->about;
    if (!about.empty() && about[0] == "settings") {
      if (about.size() > 2) lacp::user_error("help settings: found {} keys; expected one", about.size() - 1);
      fmt::print("{}", options->markdown ? lacp::settings_markdown()
                                         : lacp::settings_text(about.size() > 1 ? about[1] : ""));
      return;
    }
    const lacp::CommandWords program = words_of(app);
    if (!about.empty()) check_command(app, about[0]);
    fmt::print("{}", lacp::help_text(program.find(about),
                                     "lacp" + (about.empty() ? "" : " " + lacp::join(about, " "))));
  });
}

void add_completion_commands(CLI::App& app) {
  CLI::App* completion =
      app.add_subcommand("completion", "Print the completion for a shell: source <(lacp completion bash)");
  auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash or zsh")->required()->type_name("bash|zsh");
  completion->callback([shell] { fmt::print("{}", lacp::completion_script(*shell)); });
  CLI::App* complete =
      app.add_subcommand("complete", "What the completion asks: the words that may come next");
  complete->group("");  // hidden
  complete->prefix_command();
  complete->callback([complete, &app] {
    const lacp::CommandWords program = words_of(app);
    const auto values = [&](const std::string& kind) { return lacp::value_words(kind, program); };
    for (const auto& [word, about] : lacp::complete(program, complete->remaining(), values))
      fmt::print("{}\t{}\n", word, about);
  });
}

/// What was printed is part of the result: a full disk under `lacp status > file` must not pass for success.
int flush_output(int exit_code) {
  if (std::fflush(stdout) == 0) return exit_code;
  lacp::tell("lacp: standard output cannot be written: {}\n", std::strerror(errno));
  return lacp::exit_failed;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a failed write with a message, not a sudden end
  int exit_code = lacp::exit_done;
  CLI::App app("lacp: locally adaptive conformal prediction, and the experiments of Colombo (COPA 2023)",
               "lacp");
  app.formatter(std::make_shared<HelpFormat>());
  app.set_version_flag("--version", [] {
    return lacp::version_text() + fmt::format("  {:<10} {}\n", "kernels", lacp::kernels().name);
  });
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 something failed while running, 2 the input is wrong.");
  add_model_commands(app, exit_code);
  add_dataset_commands(app, exit_code);
  add_run_commands(app, exit_code);
  add_pack_command(app, exit_code);
  add_verify_command(app, exit_code);
  add_output_commands(app);
  add_help_commands(app);
  add_completion_commands(app);
  try {
    lacp::kernels();  // a name that this processor does not know is told at once, not in the middle of a run
    std::vector<std::string> arguments = lacp::split_settings({argv + 1, argv + argc});
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
