#pragma once

#include <armadillo>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "table/csv.hpp"
#include "table/date.hpp"
#include "table/notation.hpp"

namespace lacp {

/// How the cells of a column become numbers. The place in this list goes into fingerprints and models: add at
/// the end.
enum class ColumnKind : std::uint8_t {
  number,    ///< as they are
  category,  ///< an attribute of 0 and 1 for each value
  ordered,   ///< 0, 1, 2, … by the value's place in a given order
  date,      ///< an attribute for each part asked for
  mean,      ///< the mean of the target over the value's training rows (code_by_means)
  list,      ///< an attribute of 0 and 1 for each member that cells such as "bus; car" have
};

/// Whether the values of such a column are those that a table has.
constexpr bool learns_values(ColumnKind kind) {
  return kind == ColumnKind::category || kind == ColumnKind::mean || kind == ColumnKind::list;
}

/// Whether it makes an attribute of 0 and 1 for each of its values.
constexpr bool has_indicators(ColumnKind kind) {
  return kind == ColumnKind::category || kind == ColumnKind::list;
}

/// What to do about a cell that holds nothing. Add at the end here, too.
enum class IfMissing : std::uint8_t {
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
  /// Of a category or mean in sorted order, learnt by fit_columns; of an ordered one as given.
  std::vector<std::string> values = {};
  std::vector<DatePart> parts = {};      ///< of a date
  DateOrder order = DateOrder::iso;      ///< of a date
  std::optional<Notation> written = {};  ///< of a number; none: plain, with a decimal point
  /// Of each value and, last, of any other; of several folds, each of which has an attribute, one after the
  /// other. Empty until learnt.
  std::vector<double> means = {};
  char separator = '\0';  ///< of a list, between its members
};

/// The members of a cell that is a list, without blanks around them and empty ones.
std::vector<std::string> members_of(std::string_view cell, char separator);

/// How many attributes it makes.
std::size_t attribute_count(const Column& column);

/// A category of more values than this is refused: it is rather a name, a number, or a column by mean.
constexpr std::size_t most_values = 64;

/// A list of more members is refused.
constexpr std::size_t most_members = 48;

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
  std::vector<const Column*> attribute_columns() const;
  bool fills_missing() const;  ///< in some column
};

struct EncodedTable {
  arma::mat X;  ///< a row for each attribute, a column for each observation; NaN: to be filled
  arma::vec y;  ///< empty if no target was asked for
  std::vector<std::size_t> lines;  ///< of each observation, in the file
  std::size_t dropped_rows = 0;
  std::vector<std::string> dropped_columns;  ///< by IfMissing::drop_column, now or later
  std::vector<std::size_t> filled;  ///< of each column of `attributes`: its cells that are to be filled
  std::size_t unseen = 0;           ///< cells of values that no category has
};

/// When a column is dropped for a missing cell.
enum class DropColumns {
  now,    ///< if a cell of the table is missing
  later,  ///< not yet, and the cell is NaN: rows_of_fit does it
};

/// Reads a table, learns the values of its categories and leaves columns out that are to be dropped. What
/// cannot be read is a UserError with file, line, column and cell.
EncodedTable fit_columns(Columns& columns, const CsvSource& table, DropColumns drop = DropColumns::now);

/// Turns the codes of columns by mean, as `fit_columns` made them, into means of the target: of a training
/// row, over the training rows of its value in the other four of five folds, so that no row sees its own
/// target; of any other row, over all training rows of its value. A mean is pulled towards that of all rows
/// as if five more rows had it. `columns` gets the values and means of training rows. Rows of a group are in
/// one fold.
void code_by_means(Columns& columns, arma::mat& X, const arma::vec& y,
                   const std::vector<arma::uword>& training, const std::vector<std::size_t>& groups);

struct EncodeOptions {
  bool target = false;                      ///< read the target too
  bool unseen_zeros = false;                ///< a value that was never seen is zeros and counted, not refused
  std::vector<BadRow>* bad_rows = nullptr;  ///< rows that cannot be read; null: the first is a UserError
};

/// Reads another table, or a part of one, by columns that were fitted: in any order, with others between
/// them. UserError for those that are not there, for a row of too few or many cells, and for a cell that
/// cannot be read, as a missing one in a column that does not fill. A row without a target that is asked for
/// is left out.
EncodedTable encode(const Columns& columns, const CsvSource& table, const EncodeOptions& options = {});

/// The part of a saved model, in and out.
void write_columns(class ModelWriter& out, const Columns& columns);
/// UserError if it is none that was written for fitted columns.
Columns read_columns(class ModelReader& in);

}  // namespace lacp
