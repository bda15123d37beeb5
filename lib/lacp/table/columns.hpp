#pragma once

#include <armadillo>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/table/column.hpp"
#include "lacp/table/csv.hpp"

namespace lacp {

struct EncodedTable {
  arma::mat X;  ///< a row for each attribute, a column for each observation; NaN: to be filled
  arma::vec y;  ///< empty if no target was asked for
  std::vector<std::size_t> lines;  ///< of each observation, in the file
  std::size_t dropped_rows = 0;
  std::vector<std::string> dropped_columns;  ///< by IfMissing::drop_column, now or later
  std::vector<std::size_t> filled;  ///< of each column of `attributes`: its cells that are to be filled
  std::size_t unseen = 0;           ///< cells of levels that no category has
};

/// When a column is dropped for a missing cell.
enum class DropColumns {
  now,    ///< if a cell of the table is missing
  later,  ///< not yet, and the cell is NaN: see `learnt_from`
};

/// Reads a table, learns the levels of its categories and leaves columns out that are to be dropped. What
/// cannot be read is a UserError with file, line, column and cell; with `missing`, cells that hold nothing
/// where that is refused are counted instead, and NaN.
EncodedTable fit_columns(Columns& columns, const CsvSource& table, CsvMissing* missing = nullptr,
                         DropColumns drop = DropColumns::now);

/// What some rows of X, as `fit_columns` made it for these columns, teach: a level that none of them has is
/// no attribute, and a column that is dropped for a missing cell is dropped if one of theirs is missing.
/// `attributes` gets the rows of X that stay. UserError if none does.
Columns learnt_from(const Columns& columns, const arma::mat& X, const std::vector<arma::uword>& rows,
                    std::vector<arma::uword>& attributes);

/// Turns the codes of columns by mean (ColumnKind::mean), as `fit_columns` made them, into means of the
/// target: of a training row, over the training rows of its level in the other four of five folds, so that no
/// row sees its own target; of any other row, over all training rows of its level. A mean is pulled towards
/// that of all rows as if five more rows had it, and a level without rows has just that. Only training rows
/// teach: `columns` gets their levels and means. With several sets of training rows, as those of folds that
/// calibrate, a column becomes an attribute for each. `groups`: of each row, if some belong together; a group
/// is in one fold.
void code_by_means(Columns& columns, arma::mat& X, const arma::vec& y,
                   const std::vector<std::vector<arma::uword>>& training,
                   const std::vector<std::size_t>& groups);

struct EncodeOptions {
  bool target = false;                      ///< read the target too
  bool unseen_zeros = false;                ///< a level that was never seen is zeros and counted, not refused
  std::vector<BadRow>* bad_rows = nullptr;  ///< rows that cannot be read; null: the first is a UserError
};

/// Reads another table, or a part of one, by columns that were fitted. Columns may come in any order and with
/// others between them. UserError for those that are not there, for a row of too few or many cells, and for a
/// cell that cannot be read, which includes a missing one in a column that does not fill. A row whose target
/// is asked for and missing is left out.
EncodedTable encode(const Columns& columns, const CsvSource& table, const EncodeOptions& options = {});

/// The saved form: one csv record per column.
std::string to_text(const Columns& columns);
/// UserError, naming `source`, if the text is not one that to_text wrote for fitted columns.
Columns parse_columns(std::string_view text, const std::string& source);

}  // namespace lacp
