#pragma once

#include <array>
#include <cmath>

#include "lacp/base/random.hpp"
#include "tool/table_stream.hpp"

// `lacp predict` (predict.cpp): what it is asked for (asked.cpp) and its picture (predicted_figure.cpp).
// Columns that rows stand in the order of (places.cpp). `lacp evaluate` (evaluate.hpp), and a model as a
// distribution, as it judges it (distribution.cpp).
namespace lacp {

struct PredictOptions : StreamOptions {
  std::filesystem::path output, figure;
  std::string names, figure_over;
  bool doubles = false, why = false;
  std::vector<std::string> coverage, quantiles, upper, lower;
  std::uint64_t samples = 0, seed = 1;
};

/// Writes the intervals that are asked for. Returns the exit code.
int predict_table(const PredictOptions& options);

struct EvaluateOptions : StreamOptions {
  std::string by, over;
  bool json = false, csv = false;
  std::filesystem::path figure;
};

/// Prints how good the intervals of a table are. Returns the exit code.
int evaluate_table(const EvaluateOptions& given);

/// What is asked of a model, and how it is written.
class Asked {
 public:
  /// UserError for shares that are none, and for what the model does not have. Keeps references to both.
  Asked(const TableModel& model, const PredictOptions& options);

  const Questions& questions() const { return questions_; }
  const std::vector<std::string>& names() const { return names_; }  ///< of the numbers of a row
  std::string about() const;                                        ///< "intervals at 3 levels, 2 quantiles"

  /// Hands on a line for each row, with the columns to keep. An empty interval has empty cells.
  void write_lines(const TableIntervals& found, const std::function<void(const std::string&)>& append) const;

  /// Of each row, which columns widen its interval most: "age +41 %; income +12 %".
  std::vector<std::string> reasons(const TableIntervals& found) const;

 private:
  arma::mat numbers_of(const TableIntervals& found) const;
  void add_samples(const arma::vec& quantiles, std::uint64_t content,
                   const std::function<void(double)>& number) const;
  void tell_infinite(const TableModel& model, Ends ends) const;

  const TableModel& model_;
  const PredictOptions& options_;
  bool whole_;
  Questions questions_;
  std::vector<std::pair<Ends, Level>> bounds_;
  std::vector<Level> taus_, grid_;  // quantiles that are written, and those by which draws are made
  std::vector<std::string> names_;
};

/// A cell of a column that rows stand in the order of: its number, or the seconds of its date by either order
/// of days and months. NaN: it is missing, or no date in that order.
struct Place {
  double day_first, month_first;
  bool is_missing() const { return std::isnan(day_first) && std::isnan(month_first); }
};

/// The cells of a column as numbers, or as seconds of dates. All of them are read, then `decide` says which
/// order the dates have, as a fit does: that of the column in the model, or of cells that have one alone.
class Places {
 public:
  /// `option`: what named the column. All is kept by reference but the texts.
  Places(const Columns& columns, std::string option, std::string column)
      : columns_(columns), option_(std::move(option)), column_(std::move(column)) {}

  /// UserError for a cell which is neither a number nor a date, and for one of each.
  Place read(const std::string& cell, std::size_t line);
  /// UserError if dates are of both orders, or may be of either.
  void decide();
  double of(const Place& place) const { return day_first_ ? place.day_first : place.month_first; }
  bool dates() const { return dates_.value_or(false); }
  /// For people: as many digits as tell different places apart.
  std::vector<std::string> texts(const std::vector<double>& places) const;

 private:
  const Columns& columns_;
  std::string option_, column_;
  std::optional<bool> dates_;  ///< whether the column holds dates; known from its first cell on
  struct Example {
    std::string cell;
    std::size_t line = 0;  ///< 0: there is none
  };
  Example only_day_first_, only_month_first_, either_;
  bool day_first_ = true;
};

/// Whether a cell says that nothing is known.
bool says_missing(const std::string& cell, const Columns& columns);

struct DrawnRow {
  double x, half, f;         ///< where its bar is, and half its width
  double truth;              ///< NaN: not known
  std::vector<double> ends;  ///< lower and upper of each band, the widest first
  Place place = {};          ///< with --figure-over
};

/// The picture of `lacp predict --figure`: predictions and intervals of at most 200 rows, which are drawn at
/// random from those of the table, whatever its length.
class PredictedFigure {
 public:
  /// UserError if no intervals are asked for. The options are kept by reference.
  PredictedFigure(const PredictOptions& options, const Asked& asked, const TableModel& model);

  /// Columns to keep, with the one that rows are drawn over behind those that were asked for; and those of
  /// the truth, which a table may have.
  std::vector<std::string> keep() const;
  std::vector<std::string> truth() const;

  /// Further rows of the table. UserError for a cell of that column which is neither a number nor a date, and
  /// for one of each.
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

  std::size_t seen_ = 0, without_ = 0;  ///< rows, and those with no number in the column
  Places places_;
};

/// What became of rows, by their percentiles.
struct DistributionScore {
  static constexpr std::size_t bins = 10;
  double crps = 0.0;               ///< twice the mean pinball loss of the quantiles, summed
  std::array<double, bins> pit{};  ///< rows by the share of the quantiles below y

  /// Quantiles that are infinite, since few rows calibrate, count as the last finite one. A whole number is
  /// spread over the bins from y − ½ to y + ½, which is what random numbers between them would do on average.
  void add(const arma::vec& quantiles, double y, bool whole);
};

/// One bar a tenth, as long as it has rows, the longest of 40 characters; and as a picture.
std::string pit_text(const DistributionScore& score, std::size_t rows);
void draw_pit(const std::filesystem::path& file, const DistributionScore& score, std::size_t rows,
              const TableModel& model);

}  // namespace lacp
