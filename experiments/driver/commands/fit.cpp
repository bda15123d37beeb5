// `lacp fit`
#include "tool/fit/fit.hpp"

#include "commands/commands.hpp"

namespace lacp {

void add_fit(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "fit", "Fit a model to a csv of your own, or to a data set", fit_model);
  add(command, "DATA", o.data, "DATASET",
      "a table (csv, csv.gz, xlsx, or - for standard input), a data set, or its description (.yaml)")
      ->required();
  add_draft_options(command, o.draft);
  add(command, "--model", o.model, "FILE",
      "file for the model (default: named after the table, my.lacp of my.csv, unless there is such a file)");
  add(command, "--method", o.method, "METHOD",
      "one of `lacp methods` (default: forest; with --sides each adapt, or below 100 rows knn_error)");
  add(command, "--coverage", o.coverage, "SHARES",
      "shares of new rows that intervals cover, 1 - α, e.g. 0.95,0.9, or 95,90 (default: 0.95,0.9,0.68)")
      ->delimiter(',');
  CLI::Option* group =
      add(command, "--group", o.group, "COLUMN", "column that says which rows belong together; no attribute");
  add(command, "--by", o.by, "COLUMN",
      "attribute of which each value is calibrated by its own rows, so that coverage holds for each; values with fewer than 30 of these are calibrated together; 'missing' (unless a column is called so): rows with the same cells missing, so that coverage holds for rows with gaps, too");
  add(command, "--copies", o.copies, "keep|drop",
      "rows that equal an earlier one, target included: keep them, as new rows will repeat them, too, or drop them as copies by mistake (default: drop where each different row occurs equally often, at least twice)");
  add(command, "--prediction", o.prediction, "COLUMN",
      "column with predictions of the target by a model of your own, each made without its row: the centre of the intervals");
  add(command, "--sides", o.sides, "both|each",
      "one quantile for both sides, or one for each: for errors that are lopsided (default: both)");
  add(command, "--clip", o.clip, "MIN,MAX",
      "values that the target can have, to which intervals are cut, e.g. 0,100 or 0,");
  command.add_flag("--no-whole-ends", o.no_whole_ends,
                   "where all targets are whole numbers: let intervals end between them");
  add(command, "--calibration-folds", o.calibration_folds, "K",
      "all rows calibrate, each by a model of the other folds; 0: some are set aside for that (default: 10 for forest with fewer than 1,000 rows or, with --group, groups; else 0)");
  add(command, "--seed", o.seed, "N", "where all random numbers begin (default: 1)");
  add_jobs(command, o.jobs);
  add_set(command, o.set, "settings of an experiment, e.g. --set training.epochs=20");
  command.add_flag("--no-row-hashes", o.no_row_hashes,
                   "keep no hashes of rows in the model, by which `evaluate` knows rows of the fit again");
  command
      .add_flag(
          "--doubles", o.doubles,
          "for programs: rows are doubles of this machine on standard input, row by row, of the columns that the described table names, all of numbers; NaN: missing")
      ->excludes(group);
  command.add_flag("--json", o.json, "print what was fitted as json");
  add_datasets_folder(command, o.datasets_folder);
  add_quiet(command);
  command.footer("Defaults of --set, which are not those of an experiment: " +
                 as_set_options(PredictorSettings::recommended()) + ".");
}

}  // namespace lacp
