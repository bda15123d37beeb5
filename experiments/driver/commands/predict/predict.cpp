// `lacp predict`: intervals for the rows of a table, in their order, whatever its length.
#include "commands/predict/predict.hpp"

#include <algorithm>

#include "commands/commands.hpp"
#include "common/frame.hpp"
#include "lacp/base/files.hpp"
#include "report/gnuplot.hpp"

namespace lacp {
namespace {

/// A csv that grows: a file that is whole or not there, or standard output.
class Output {
 public:
  explicit Output(const fs::path& file) {
    if (!file.empty()) file_.emplace(file);
  }
  void append(const std::string& text) {
    if (file_)
      file_->append(text);
    else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
      run_error("standard output cannot be written");
  }
  void keep() {
    if (file_) file_->keep();
  }

 private:
  std::optional<NewFile> file_;
};

std::string header_line(const Asked& asked, const PredictOptions& options) {
  std::vector<std::string> own = asked.names();
  own.insert(own.begin(), "prediction");
  std::string line = "line";
  for (const std::string& column : options.keep) {
    if (column == "line" || std::ranges::find(own, column) != own.end())
      user_error("--keep {0}: the output has a column {0} of its own; give yours another name", column);
    line += "," + csv_quoted(column);
  }
  return line + "," + join(own, ",") + "\n";
}

/// "intervals.bad.csv" beside "intervals.csv".
fs::path bad_rows_file(fs::path output) { return output.replace_extension(".bad.csv"); }

std::string bad_lines(const TableIntervals& intervals) {
  std::string text;
  for (const BadRow& row : intervals.bad_rows)
    text += fmt::format("{},{}\n", row.line, csv_quoted(one_line(row.reason)));
  return text;
}

/// Before the work begins: what cannot be written, or would replace an input, is refused.
void check_outputs(const PredictOptions& options) {
  if (options.skip_bad && options.output.empty())
    user_error("--skip-bad: rows that are left out go to a file beside the output; name one with --output");
  for (const fs::path& input : {options.table, options.model}) protect_input(input);  // also "-"
  std::error_code ignored;
  if (!options.figure.empty()) {
    check_picture(options.figure);
    if (fs::weakly_canonical(options.output, ignored) == fs::weakly_canonical(options.figure, ignored))
      user_error("--figure: found {}, which is the output, too; give it another name",
                 show_text(options.figure.string()));
  }
  if (options.output.empty()) return;
  check_writable(options.output);
  if (!options.skip_bad) return;
  if (fs::exists(options.output, ignored) && !fs::is_regular_file(options.output, ignored))
    user_error("--skip-bad: rows that are left out go to a file beside the output, and {} is no regular file",
               options.output.string());
  check_writable(bad_rows_file(options.output));
}

int predict_table(const PredictOptions& options) {
  check_outputs(options);
  if (options.doubles && options.table != "-")
    user_error("--doubles: found {}; expected -, standard input", show_text(options.table.string()));
  const TableModel model = TableModel::load(options.model);
  Output output(options.output);
  if (options.doubles) {
    stream_doubles(model, options.jobs, [&](const std::string& rows) { output.append(rows); });
    output.keep();
    return exit_done;
  }
  const Asked asked(model, options);
  const std::string header = header_line(asked, options);
  std::optional<NewFile> bad;
  if (options.skip_bad) {
    bad.emplace(bad_rows_file(options.output));
    bad->append("line,reason\n");
  }
  std::optional<PredictedFigure> figure;
  StreamOptions stream = options;
  stream.contents = options.samples > 0;
  if (!options.figure.empty()) {
    stream.keep = figure.emplace(options, asked, model).keep();
    stream.keep_if_there = figure->truth();
  }
  bool begun = false;
  const StreamCounts counts = stream_table(
      asked.models(), stream,
      [&](const ManyIntervals& found) {
        return options.samples > 0 ? "" : asked.lines_of(found, 0, found.front().f.n_elem);
      },
      [&](const ManyIntervals& found, const std::string& text) {
        if (!begun) output.append(header);
        begun = true;
        output.append(text);
        // Lines of draws are long: a few at a time.
        for (arma::uword n = 0; options.samples > 0 && n < found.front().f.n_elem; ++n)
          output.append(asked.lines_of(found, n, n + 1));
        if (bad) bad->append(bad_lines(found.front()));
        if (figure) figure->add(found.front());
      });
  if (bad) bad->keep();
  output.keep();
  report_counts(counts, model);
  if (counts.bad > 0)
    note("{} could not be predicted and {} in {}\n", counted(counts.bad, "row"),
         counts.bad == 1 ? "is" : "are", bad_rows_file(options.output).string());
  if (!options.output.empty())
    note("{}: {} with {}\n", options.output.string(), counted(counts.rows, "prediction"), asked.about());
  if (figure) {  // the last step: the intervals are there, whether or not gnuplot is
    std::fflush(stdout);
    figure->draw();
  }
  return exit_done;
}

}  // namespace

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
      "shares of new rows that intervals cover, whatever the fit was asked for (default: those of the fit)");
  shares("--upper", o.upper,
         "bounds on one side: shares of new rows that lie below, e.g. 0.95 (upper_bound_95)");
  shares("--lower", o.lower, "bounds on one side: shares of new rows that lie above");
  shares("--quantiles", o.quantiles, "calibrated quantiles, e.g. 0.1,0.5,0.9 (quantile_10 ...)");
  add(command, "--samples", o.samples, "N", "draws from the distribution of each row (sample_1 ...)");
  add(command, "--seed", o.seed, "N", "where the random numbers of --samples begin (default: 1)");
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
                            "--lower", "--samples", "--figure"})
    doubles->excludes(other);
  command.footer(
      "The output has the line of the row, the prediction, and for each level the two ends of its interval: the one from lower_95 to upper_95 holds the truth for 95 % of new rows.");
}

}  // namespace lacp
