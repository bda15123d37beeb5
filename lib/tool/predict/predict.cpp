// `lacp predict`: intervals for the rows of a table, in their order, whatever its length.
#include "tool/predict/predict.hpp"

#include <algorithm>

#include "common/frame.hpp"
#include "common/gnuplot.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "table/table_model.hpp"

namespace lacp {
namespace fs = std::filesystem;
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
      user_error("--keep {0}: the output has a column {0} of its own", column);
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
    user_error("--skip-bad: needs --output, beside which bad rows go");
  for (const fs::path& input : {options.table, options.model}) protect_input(input);  // also "-"
  std::error_code ignored;
  if (!options.figure.empty()) {
    check_picture(options.figure);
    if (fs::weakly_canonical(options.output, ignored) == fs::weakly_canonical(options.figure, ignored))
      user_error("--figure: found {}, which is the output, too", show_text(options.figure.string()));
  }
  if (options.output.empty()) return;
  check_writable(options.output);
  if (!options.skip_bad) return;
  if (fs::exists(options.output, ignored) && !fs::is_regular_file(options.output, ignored))
    user_error("--skip-bad: bad rows go to a file beside the output, and {} is no regular file",
               options.output.string());
  check_writable(bad_rows_file(options.output));
}

}  // namespace

int predict_table(const PredictOptions& options) {
  check_outputs(options);
  const TableModel model = TableModel::load(options.model);
  Output output(options.output);
  const Asked asked(model, options);
  for (const std::string& line : asked.warnings()) tell("{}\n", line);
  const std::string header = header_line(asked, options);
  std::optional<NewFile> bad;
  if (options.skip_bad) {
    bad.emplace(bad_rows_file(options.output));
    bad->append("line,reason\n");
  }
  std::optional<PredictedFigure> figure;
  StreamOptions stream = options;
  stream.questions = asked.questions();
  stream.rows = options.why;
  if (!options.figure.empty()) stream.keep_if_there = figure.emplace(options, asked, model).truth();
  bool begun = false;
  const StreamCounts counts = stream_table(
      model, stream, [&](const TableIntervals& found) { return asked.lines(found); },
      [&](const TableIntervals& found, const std::string& text) {
        if (!begun) output.append(header);
        begun = true;
        output.append(text);
        if (bad) bad->append(bad_lines(found));
        if (figure) figure->add(found);
      });
  if (bad) bad->keep();
  output.keep();
  report_counts(counts, model);
  if (counts.bad > 0)
    tell("{} could not be predicted: {}\n", counted(counts.bad, "row"),
         bad_rows_file(options.output).string());
  if (!options.output.empty())
    note("{}: {} with {} each\n", options.output.string(), counted(counts.rows, "prediction"), asked.about());
  if (figure) {  // the last step: the intervals are there, whether or not gnuplot is
    std::fflush(stdout);
    figure->draw();
  }
  return exit_done;
}

}  // namespace lacp
