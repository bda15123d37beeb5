// `lacp predict`: intervals for the rows of a table, in their order, whatever its length.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "commands/commands.hpp"
#include "common/frame.hpp"
#include "common/message.hpp"
#include "engine/table_stream.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

struct PredictOptions : StreamOptions {
  fs::path output;
  std::string names;
};

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

std::string header_line(const TableModel& model, const PredictOptions& options) {
  std::vector<std::string> own = {"prediction"};
  for (const Level& level : model.levels())
    for (const char* end : {"lower", "upper"})
      own.push_back(fmt::format(
          "{}_{}", end,
          options.names == "coverage" ? fmt::format("{:.7g}", 100.0 - 100.0 * level.value()) : level.text()));
  std::string line = "line";
  for (const std::string& column : options.keep) {
    if (column == "line" || std::ranges::find(own, column) != own.end())
      user_error("--keep {0}: the output has a column {0} of its own; give yours another name", column);
    line += "," + csv_quoted(column);
  }
  return line + "," + join(own, ",") + "\n";
}

/// One line for each row. An empty interval has empty cells.
std::string lines_of(const TableIntervals& intervals) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  const auto number = [&](double value) {
    text.push_back(',');
    if (!std::isnan(value)) fmt::format_to(out, "{}", value);
  };
  for (arma::uword n = 0; n < intervals.f.n_elem; ++n) {
    fmt::format_to(out, "{}", intervals.lines[n]);
    if (!intervals.kept.empty())
      for (const std::string& cell : intervals.kept[n]) fmt::format_to(out, ",{}", csv_quoted(cell));
    number(intervals.f(n));
    for (arma::uword l = 0; l < intervals.lower.n_rows; ++l) {
      number(intervals.lower(l, n));
      number(intervals.upper(l, n));
    }
    text.push_back('\n');
  }
  return fmt::to_string(text);
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
  for (const fs::path& input : {options.table, options.model}) protect_input(input);
  if (options.output.empty()) return;
  check_writable(options.output);
  if (!options.skip_bad) return;
  std::error_code ignored;
  if (fs::exists(options.output, ignored) && !fs::is_regular_file(options.output, ignored))
    user_error("--skip-bad: rows that are left out go to a file beside the output, and {} is no regular file",
               options.output.string());
  check_writable(bad_rows_file(options.output));
}

int predict_table(const PredictOptions& options) {
  check_outputs(options);
  const TableModel model = TableModel::load(options.model);
  const std::string header = header_line(model, options);
  Output output(options.output);
  std::optional<NewFile> bad;
  if (options.skip_bad) {
    bad.emplace(bad_rows_file(options.output));
    bad->append("line,reason\n");
  }
  bool begun = false;
  const StreamCounts counts =
      stream_table(model, options, lines_of, [&](const TableIntervals& intervals, const std::string& text) {
        if (!begun) output.append(header);
        begun = true;
        output.append(text);
        if (bad) bad->append(bad_lines(intervals));
      });
  if (bad) bad->keep();
  output.keep();
  report_counts(counts, model);
  if (counts.bad > 0)
    note("{} could not be predicted and {} in {}\n", counted(counts.bad, "row"),
         counts.bad == 1 ? "is" : "are", bad_rows_file(options.output).string());
  if (!options.output.empty())
    note("{}: {} with {} at {}\n", options.output.string(), counted(counts.rows, "prediction"), "intervals",
         counted(model.levels().size(), "level"));
  return exit_done;
}

}  // namespace

void add_stream_options(CLI::App& command, StreamOptions& o, const char* table, const char* skip_bad) {
  add(command, "MODEL", o.model, "FILE", "what `lacp fit` wrote")->required();
  add(command, "TABLE", o.table, "FILE", table)->required();
  command
      .add_option_function<std::string>(
          "--unseen", [&o](const std::string& word) { o.unseen_zeros = word == "zeros"; },
          "categories that the fit has not seen (default: error)")
      ->check(CLI::IsMember({"error", "zeros"}))
      ->type_name("error|zeros");
  command.add_flag("--skip-bad", o.skip_bad, skip_bad);
  add_jobs(command, o.jobs);
  add_quiet(command);
}

void add_predict(CLI::App& program) {
  const auto [command, o] = add_command(
      program, "predict", "Predict the rows of a csv: intervals from a fitted model", predict_table);
  add_stream_options(command, o,
                     "csv, csv.gz, xlsx or - for standard input, with the columns of the fit, in any order",
                     "rows that cannot be predicted go to OUTPUT.bad.csv, with the reason");
  add(command, "--output", o.output, "FILE", "csv for the intervals (default: standard output)");
  add(command, "--keep", o.keep, "COLUMNS",
      "columns of the table to copy into the output, separated by commas")
      ->delimiter(',');
  add(command, "--names", o.names, "level|coverage",
      "lower_0.05 and upper_0.05, by the level, or lower_95 and upper_95 (default: level)")
      ->check(CLI::IsMember({"level", "coverage"}));
  command.footer(
      "The output has the line of the row, the prediction, and for each level the two ends of its interval: at level 0.05 (lower_0.05, upper_0.05) it holds the truth for 95 % of new rows.");
}

}  // namespace lacp
