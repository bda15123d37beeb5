#pragma once

#include <armadillo>
#include <vector>

#include "lacp/data/columns.hpp"

namespace lacp {

/// Turns the codes of columns by mean (ColumnKind::mean), as `fit_columns` made them, into means of the
/// target: of a training row, over the training rows of its level in the other four of five folds, so that no
/// row sees its own target; of any other row, over all training rows of its level. A mean is pulled towards
/// that of all rows as if five more rows had it, and a level without rows has just that. Only training rows
/// teach: `columns` gets their levels and means. `groups`: of each row, if some belong together; a group is
/// in one fold.
void code_by_means(Columns& columns, arma::mat& X, const arma::vec& y,
                   const std::vector<arma::uword>& training, const std::vector<std::size_t>& groups);

}  // namespace lacp
