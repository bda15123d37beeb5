// The commands around a model: fit, predict, evaluate, update, info and demo.
#include "commands/commands.hpp"
#include "tool/fit/fit.hpp"
#include "tool/predict/predict.hpp"
#include "tool/tool.hpp"

namespace lacp {

void add_fit(CLI::App& program) {
  const auto [command, o] = add_command(program, "fit", "Fit a model to a table", fit_model);
  add(command, "DATA", o.data, "DATASET", "a csv, csv.gz, xlsx or -; a data set, or its .yaml")->required();
  add_draft_options(command, o.draft);
  add(command, "--model", o.model, "FILE", "default: my.lacp for my.csv");
  add(command, "--method", o.method, "METHOD", "one of `lacp methods` (default: forest)");
  add(command, "--coverage", o.coverage, "SHARES", "default: 0.95,0.9,0.68")->delimiter(',');
  add(command, "--group", o.group, "COLUMN", "grouping column (not used as a feature)");
  add(command, "--by", o.by, "COLUMN", "calibrate each value of this column by its own rows");
  add(command, "--copies", o.copies, "keep|drop", "rows that occur again");
  add(command, "--prediction", o.prediction, "COLUMN", "out-of-sample predictions of your own model");
  add(command, "--sides", o.sides, "both|each", "one quantile, or one a side");
  add(command, "--clip", o.clip, "MIN,MAX", "of the target: 0,100 or 0,");
  command.add_flag("--no-whole-ends", o.no_whole_ends, "ends between whole numbers");
  add(command, "--calibration", o.calibration, "every-row|split",
      "train and calibrate by every row (default up to 5,000), or set some aside")
      ->check(CLI::IsMember({"every-row", "split"}));
  add(command, "--seed", o.seed, "N", "of the draws (default: 1)");
  add_jobs(command, o.jobs);
  add_set(command, o.set, "settings: training.epochs=20");
  command.add_flag("--json", o.json, "print what was fitted as json");
  add_datasets_folder(command, o.datasets_folder);
  add_quiet(command);
  command.footer("Defaults of --set: " + as_set_options(PredictorSettings::recommended()) + ".");
}

void add_stream_options(CLI::App& command, StreamOptions& o, const char* columns, const char* skip_bad) {
  const std::string table = "csv, csv.gz, xlsx or -, with the columns of the fit";
  add(command, "MODEL", o.model, "FILE", "what `lacp fit` wrote")->required();
  add(command, "TABLE", o.table, "FILE", (table + columns).c_str())->required();
  command
      .add_option_function<std::string>(
          "--unseen", [&o](const std::string& word) { o.unseen_zeros = word == "zeros"; },
          "categories new to the model")
      ->check(CLI::IsMember({"error", "zeros"}))
      ->type_name("error|zeros");
  command.add_flag("--skip-bad", o.skip_bad, skip_bad);
  command.add_flag("--all-rows", o.all_rows, "keep totals and notes");
  add_sheet(command, o.sheet);
  add_jobs(command, o.jobs);
  add_quiet(command);
}

void add_predict(CLI::App& program) {
  const auto [command, o] = add_command(program, "predict", "Print intervals of new rows", predict_table);
  add_stream_options(command, o, "", "bad rows go to o.bad.csv beside o.csv");
  add(command, "--output", o.output, "FILE", "csv for the intervals");
  add(command, "--keep", o.keep, "COLUMNS", "columns to copy")->delimiter(',')->allow_extra_args(false);
  CLI::App& to = command;  // a lambda cannot have a structured binding of its own everywhere
  const auto shares = [&to](const char* name, std::vector<std::string>& texts, const char* about) {
    add(to, name, texts, "SHARES", about)->delimiter(',')->allow_extra_args(false);
  };
  shares("--coverage", o.coverage, "default: those of the fit");
  shares("--upper", o.upper, "bounds: shares below");
  shares("--lower", o.lower, "bounds: shares above");
  shares("--quantiles", o.quantiles, "quantiles, as 0.1,0.5,0.9");
  command.add_flag("--why", o.why, "add a column: what widens the interval most");
  add(command, "--figure", o.figure, "FILE", "draw rows, as svg or pdf");
  command.footer("Of each row: line, prediction, and ends: lower_95 to upper_95 covers 95 % of new rows.");
}

void add_evaluate(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "evaluate", "Compare intervals with known targets", evaluate_table);
  add_stream_options(command, o, " and the target", "leave out bad rows");
  add(command, "--by", o.by, "COLUMN", "for each text of this column");
  add(command, "--over", o.over, "COLUMN", "coverage in the order of numbers or dates");
  command.add_flag("--json", o.json, "print the numbers as json");
  command.add_flag("--csv", o.csv, "print the numbers as csv");
  add(command, "--figure", o.figure, "FILE", "draw --over, as svg or pdf");
}

void add_update(CLI::App& program) {
  const auto [command, o] = add_command(program, "update", "Calibrate a model by new rows", update_model);
  add_stream_options(command, o, " and the target", "leave out bad rows");
  add(command, "--output", o.output, "FILE", "file for the new model")->required();
  add(command, "--group", o.group, "COLUMN", "default: that of the fit");
  command.add_flag("--instead", o.instead, "calibrate by these rows alone");
  add(command, "--window", o.window, "N", "calibrate by the newest rows");
  add(command, "--sides", o.sides, "both|each", "default: each if rows suffice");
}

void add_info(CLI::App& program) {
  const auto [command, o] = add_command(program, "info", "Describe a model", show_info);
  add(command, "MODEL", o.model, "FILE", "what `lacp fit` wrote")->required();
  command.add_flag("--json", o.json, "print it as json");
}

void add_demo(CLI::App& program) {
  const auto [command, o] = add_command(program, "demo", "Show it on a shipped table", run_demo);
  add(command, "--figure", o.figure, "FILE", "keep the picture: svg or pdf");
}

}  // namespace lacp
