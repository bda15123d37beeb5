// `lacp predict`, and the options that it shares with `lacp evaluate` and `lacp update`.
#include "tool/predict/predict.hpp"

#include "commands/commands.hpp"

namespace lacp {

void add_stream_options(CLI::App& command, StreamOptions& o, const char* columns, const char* skip_bad) {
  const std::string table = "csv, csv.gz, xlsx or - for standard input, with the columns of the fit";
  add(command, "MODEL", o.model, "FILE", "what `lacp fit` wrote")->required();
  add(command, "TABLE", o.table, "FILE", (table + columns).c_str())->required();
  command
      .add_option_function<std::string>(
          "--unseen", [&o](const std::string& word) { o.unseen_zeros = word == "zeros"; },
          "categories that the fit has not seen (default: error)")
      ->check(CLI::IsMember({"error", "zeros"}))
      ->type_name("error|zeros");
  command.add_flag("--skip-bad", o.skip_bad, skip_bad);
  command.add_flag("--all-rows", o.all_rows,
                   "the last rows are rows, too (default: totals, and notes below them, are left out)");
  add(command, "--sheet", o.sheet, "NAME", "sheet of an xlsx file, by name or number (default: the first)");
  add_jobs(command, o.jobs);
  add_quiet(command);
}

void add_predict(CLI::App& program) {
  const auto [command, o] = add_command(
      program, "predict", "Predict the rows of a csv: intervals from a fitted model", predict_table);
  add_stream_options(
      command, o, ", in any order",
      "rows that cannot be predicted go to a file beside the output, with the reason: o.bad.csv beside o.csv");
  add(command, "--output", o.output, "FILE", "csv for the intervals (default: standard output)");
  add(command, "--keep", o.keep, "COLUMNS",
      "columns of the table to copy into the output, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  add(command, "--names", o.names, "coverage|level",
      "what columns are called by: coverage in percent (lower_95, upper_bound_95, quantile_10) or the level (lower_0.05, upper_bound_0.95, quantile_0.1) (default: coverage)");
  CLI::App& to = command;  // a lambda cannot have a structured binding of its own everywhere
  const auto shares = [&to](const char* name, std::vector<std::string>& texts, const char* about) {
    add(to, name, texts, "SHARES", about)->delimiter(',')->allow_extra_args(false);
  };
  shares(
      "--coverage", o.coverage,
      "shares of new rows that intervals cover, whatever the fit was asked for (default: those of the fit; none if --upper, --lower, --quantiles or --samples is given)");
  shares(
      "--upper", o.upper,
      "bounds on one side: shares of new rows that lie below, e.g. 0.95 (upper_bound_95); not made whole where targets are");
  shares("--lower", o.lower, "bounds on one side: shares of new rows that lie above");
  shares("--quantiles", o.quantiles, "calibrated quantiles, e.g. 0.1,0.5,0.9 (quantile_10 ...)");
  add(command, "--samples", o.samples, "N", "draws from the distribution of each row (sample_1 ...)");
  add(command, "--seed", o.seed, "N", "where the random numbers of --samples begin (default: 1)");
  command.add_flag(
      "--why", o.why,
      "add a column `why`: up to three columns of the table that widen the interval most, e.g. \"age +41 %\": 41 % wider than with ages of other rows (for coverage 0.9, or the nearest to it; takes as long as eight predictions for each column)");
  CLI::Option* figure = add(
      command, "--figure", o.figure, "FILE",
      "draw predictions and intervals, and the truth if the table has it, over rows ordered by prediction: svg or pdf, by its name; of many rows 200");
  add(command, "--figure-over", o.figure_over, "COLUMN",
      "draw them over this column of numbers or dates instead")
      ->needs(figure);
  CLI::Option* doubles = command.add_flag(
      "--doubles", o.doubles,
      "for programs: standard input and the output are doubles of this machine, row by row, without header and line; the columns are those of `lacp info`, all of numbers, NaN: missing");
  for (const char* other : {"--keep", "--names", "--skip-bad", "--coverage", "--quantiles", "--upper",
                            "--lower", "--samples", "--why", "--figure"})
    doubles->excludes(other);
  command.footer(
      "The output has the line of the row, the prediction, and for each level the two ends of its interval: the one from lower_95 to upper_95 holds the truth for 95 % of new rows. A prediction may lie outside its interval where ends are quantiles, or whole numbers.");
}

}  // namespace lacp
