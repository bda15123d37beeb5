#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "common/frame.hpp"
#include "tool/drift.hpp"
#include "tool/predict/predict.hpp"

// `lacp evaluate` (evaluate.cpp): numbers of rows, and their texts (evaluate_text.cpp).
namespace lacp {

/// The intervals of one level over the whole table. Sizes are kept: their deciles are known only at the end.
struct LevelScore {
  struct Row {
    double size;  ///< half the width; −1 for an empty interval
    bool covered;
  };
  std::vector<Row> rows;
  std::size_t covered = 0, below = 0, above = 0, infinite = 0, empty = 0;
  double sizes = 0.0, winkler = 0.0;

  void add(double lower, double upper, double f, double y, double alpha) {
    const bool is_empty = std::isnan(lower);
    const double size = is_empty ? -1.0 : 0.5 * (upper - lower);
    const bool inside = !is_empty && lower <= y && y <= upper;
    // As in an experiment (experiment/metrics.hpp): an empty interval counts as the point f.
    const double low = is_empty ? f : lower, high = is_empty ? f : upper;
    winkler += (high - low) + 2.0 / alpha * std::max({low - y, y - high, 0.0});
    covered += inside ? 1 : 0;
    below += y < low ? 1 : 0;
    above += y > high ? 1 : 0;
    infinite += std::isinf(size) ? 1 : 0;
    empty += is_empty ? 1 : 0;
    sizes += is_empty ? 0.0 : size;
    rows.push_back({size, inside});
  }
};

/// What became of the rows of a table, or of those with one text in a column.
struct Scores {
  std::vector<LevelScore> levels;
  std::size_t rows = 0;
  double absolute = 0.0, errors = 0.0;
  double first = 0.0, targets = 0.0, squares = 0.0;  ///< the sums are of y − first: those of y would cancel
  std::map<std::size_t, std::size_t> classes;        ///< rows of each class (TableIntervals::classes)

  void add(const TableIntervals& intervals, arma::uword n, const std::vector<Level>& at) {
    levels.resize(at.size());
    ++classes[intervals.classes[n]];
    const double y = intervals.y(n), error = y - intervals.f(n);
    if (rows++ == 0) first = y;
    absolute += std::abs(y);
    errors += error * error;
    targets += y - first;
    squares += (y - first) * (y - first);
    for (std::size_t l = 0; l < at.size(); ++l)
      levels[l].add(intervals.lower(l, n), intervals.upper(l, n), intervals.f(n), y, at[l].value());
  }
  double rmse() const { return std::sqrt(errors / static_cast<double>(rows)); }
  /// No number where the targets are all alike.
  double r2() const {
    const double spread = squares - targets * targets / static_cast<double>(rows);
    return spread > 0.0 ? 1.0 - errors / spread : std::numeric_limits<double>::quiet_NaN();
  }
};

/// The column of --over: its cells as numbers, or as seconds of dates.
class Over {
 public:
  /// All is kept by reference.
  Over(const Columns& columns, const std::string& column) : columns_(columns), column_(column) {}

  /// NaN: nothing is known. UserError for a cell which is neither a number nor a date, and for one of each.
  double read(const std::string& cell, std::size_t line);
  std::string text(double place) const;

 private:
  const Columns& columns_;
  const std::string& column_;
  std::optional<bool> dates_;  ///< whether the column holds dates; known from its first cell on
};

/// A row in the order of a column.
struct OrderedRow {
  bool covered;
  double place;
};

/// Coverage of each tenth of the rows in the order of a column; of fewer than 20 rows in fewer parts, of two
/// rows or more.
struct TenthOfRows {
  double coverage, from, to;
  double low, high;  ///< what chance explains; NaN where rows belong together
};
std::vector<TenthOfRows> tenths_of(const std::vector<OrderedRow>& rows, const Level& level,
                                   const TableModel& model);
std::string tenths_text(const std::vector<TenthOfRows>& tenths, const Over& over);
void draw_tenths(const std::filesystem::path& file, const std::vector<TenthOfRows>& tenths, const Over& over,
                 const Level& level, const std::string& column, const TableModel& model);

/// What is known of all rows together, for programs.
struct OfAllRows {
  const DriftReport& drift;
  const std::vector<TenthOfRows>& tenths;  ///< of --over
  std::string advice;
};

/// Everything as one table: `group` is "" for all rows.
Frame frame_of(const std::map<std::string, Scores>& groups, const TableModel& model, const OfAllRows& all);
std::string json_of(const Frame& frame);

/// Rows of a Frame for people; those of groups begin with their name and number of rows.
std::string scores_text(const Frame& frame, bool by_group);

std::string r2_text(double r2);

/// How many groups have a coverage outside their range, and what helps; "" if none has.
std::string outside_text(const Frame& groups, const TableModel& model, const std::string& by);

/// Coverage and mean half-width of each tenth of the rows, the smallest intervals first. Sorts them.
std::string deciles_text(const std::vector<Level>& levels, std::vector<LevelScore>& scores);

}  // namespace lacp
