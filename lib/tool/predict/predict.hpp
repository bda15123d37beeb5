#pragma once

#include "lacp/base/random.hpp"
#include "tool/table_stream.hpp"

// `lacp predict` (predict.cpp): what it is asked for (asked.cpp) and its picture (predicted_figure.cpp).
// `lacp evaluate` (evaluate.hpp).
namespace lacp {

struct PredictOptions : StreamOptions {
  std::filesystem::path output, figure;
  bool why = false;
  std::vector<std::string> coverage, quantiles, upper, lower;
};

/// Writes the intervals that are asked for. Returns the exit code.
int predict_table(const PredictOptions& options);

struct EvaluateOptions : StreamOptions {
  std::string by, over;
  bool json = false, csv = false;
  std::filesystem::path figure;
};

/// How good the intervals of a table are, as --json prints it.
std::string evaluation_json(const TableModel& model, const EvaluateOptions& given);

/// Prints that. Returns the exit code.
int evaluate_table(const EvaluateOptions& given);

/// What is asked of a model, and how it is written.
class Asked {
 public:
  /// UserError for shares that are none, and for what the model does not have. Keeps references to both.
  Asked(const TableModel& model, const PredictOptions& options);

  const Questions& questions() const { return questions_; }
  const std::vector<std::string>& names() const { return names_; }  ///< of the numbers of a row
  std::string about() const;                                        ///< "3 intervals, 2 quantiles"

  /// A line for each row, with the columns to keep. An empty interval has empty cells.
  std::string lines(const TableIntervals& found) const;

  /// The numbers of each row but its prediction, in a column.
  arma::mat numbers_of(const TableIntervals& found) const;

  /// Of each row, which columns widen its interval most: "age +41 %; income +12 %".
  std::vector<std::string> reasons(const TableIntervals& found) const;
  arma::mat widening(const TableIntervals& found) const;  ///< TableModel::widening

  /// What is infinite, or not as the model has it elsewhere.
  std::vector<std::string> warnings() const;

 private:
  void warn_of(Ends ends, std::vector<std::string>& warnings) const;

  const TableModel& model_;
  const PredictOptions& options_;
  Questions questions_;
  std::vector<std::pair<Ends, Level>> bounds_;
  std::vector<Level> taus_;  // quantiles
  std::vector<std::string> names_;
};

struct DrawnRow {
  double f;
  double truth;              ///< NaN: not known
  std::vector<double> ends;  ///< lower and upper of each band, the widest first
};

/// The picture of `lacp predict --figure`: predictions and intervals of at most 200 rows, which are drawn at
/// random from those of the table, whatever its length.
class PredictedFigure {
 public:
  /// UserError if no intervals are asked for. The options are kept by reference.
  PredictedFigure(const PredictOptions& options, const Asked& asked, const TableModel& model);

  std::vector<std::string> truth() const;  ///< the columns that have it, which a table may lack

  /// Further rows of the table.
  void add(const TableIntervals& intervals);

  /// Writes the file, and says what it shows. RunError if gnuplot fails.
  void draw();

 private:
  const PredictOptions& options_;
  const TableModel& model_;
  std::vector<Level> levels_;
  std::vector<std::size_t> bands_;  ///< places of levels, those of the widest intervals first
  Stream drawn_;
  std::vector<DrawnRow> rows_;
  double truth_in(const std::vector<std::string>& kept) const;

  std::size_t seen_ = 0;
};

}  // namespace lacp
