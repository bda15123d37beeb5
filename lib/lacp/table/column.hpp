#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lacp/table/date.hpp"
#include "lacp/table/notation.hpp"

namespace lacp {

/// How the cells of a column become numbers. The place in this list goes into fingerprints: add at the end.
enum class ColumnKind {
  number,    ///< as they are
  category,  ///< an attribute of 0 and 1 for each level
  ordered,   ///< 0, 1, 2, … by the level's place in a given order
  date,      ///< an attribute for each part asked for
  mean,      ///< the mean of the target over the level's training rows (code_by_means)
};

/// What to do about a cell that holds nothing. Add at the end here, too.
enum class IfMissing {
  refuse,
  drop_row,
  drop_column,
  fill,  ///< NaN, for the mean of the part that fits the predictor (scaling.hpp)
};

/// One column of a table, and what becomes of it.
struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  IfMissing if_missing = IfMissing::refuse;
  std::vector<std::string> levels =
      {};  ///< category, mean: in sorted order, learnt by fit_columns; ordered: as given
  std::vector<DatePart> parts = {};      ///< of a date
  DateOrder order = DateOrder::iso;      ///< of a date
  std::optional<Notation> written = {};  ///< of a number; none: plain, with a decimal point
  /// Of each level and, last, of any other; of several folds, each of which has an attribute, one after the
  /// other. Empty until learnt.
  std::vector<double> means = {};
};

/// How many attributes it makes.
std::size_t attribute_count(const Column& column);

/// Which columns of a table go in, and how: fitted to one table, it makes the same attributes of another,
/// whose columns it finds by name.
struct Columns {
  std::vector<Column> attributes;
  std::vector<Column> target;  ///< numbers; several are added up
  bool log_target = false;     ///< the target is log(1 + y)
  /// What y can be; ends of intervals are cut to that, which costs no coverage.
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  /// Texts that mean that a cell holds nothing, which an empty one always does; none: the usual ones.
  std::optional<std::vector<std::string>> marks = {};

  /// Of each row of X: "temp", "season=1", "datetime.hour".
  std::vector<std::string> attribute_names() const;
};

/// A category of more levels than this is refused: it is rather a name, a number, or a column by mean.
constexpr std::size_t most_levels = 64;

}  // namespace lacp
