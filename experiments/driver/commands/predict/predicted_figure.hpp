#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "commands/predict/asked.hpp"
#include "lacp/base/random.hpp"

namespace lacp {

/// The picture of `lacp predict --figure`: predictions and intervals of at most 200 rows, which are drawn at
/// random from those of the table, whatever its length.
class PredictedFigure {
 public:
  /// UserError if no intervals are asked for. The options are kept by reference.
  PredictedFigure(const PredictOptions& options, const Asked& asked, const TableModel& model);

  /// Columns to keep, with the one that rows are drawn over behind those that were asked for.
  std::vector<std::string> keep() const;

  /// Further rows of the table. UserError for a cell of that column which is no number.
  void add(const TableIntervals& intervals);

  /// Writes the file, and says what it shows. RunError if gnuplot fails.
  void draw();

 private:
  struct Row {
    double x, half, f;         ///< where its bar is, and half its width
    std::vector<double> ends;  ///< lower and upper of each band, the widest first
  };
  struct Axis {
    double low = std::numeric_limits<double>::infinity(), high = -low;

    void include(double value) { low = std::min(low, value), high = std::max(high, value); }
    double width() const { return high - low; }
    /// At both ends, also if all values are alike.
    Axis with_room() const {
      const double room = width() > 0.0 ? 0.03 * width() : std::max(1.0, 0.1 * std::abs(low));
      return {low - room, high + room};
    }
  };
  /// From left to right, those with the same x beside each other, as far as there is room.
  Axis place_rows();
  /// f and four fifths of the ends are seen, and where ends reach farther as much again on either side.
  Axis y_axis() const;
  std::string band_lines() const;
  double number_in(const std::string& cell, std::size_t line) const;

  const PredictOptions& options_;
  const TableModel& model_;
  std::vector<Level> levels_;
  std::vector<std::size_t> bands_;  ///< places of levels, those of the widest intervals first
  Stream drawn_;
  std::vector<Row> rows_;
  std::size_t seen_ = 0, without_ = 0;  ///< rows, and those with no number in the column
};

}  // namespace lacp
