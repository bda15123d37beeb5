#include "tool/predict/far_cells.hpp"

#include <cmath>
#include <utility>

#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "lacp/data/scaling.hpp"

namespace lacp {
namespace {

/// No row of a fit of 400 lies farther out, and few of any: what does is rather in another unit.
constexpr double far_deviations = 20.0;

}  // namespace

FarCells::FarCells(const TableModel& model) {
  const Scaling& scaling = model.predictor().scaling();
  arma::uword row = 0;
  for (const Column& column : model.columns().attributes) {
    const arma::uword first = std::exchange(row, row + attribute_count(column));
    if (column.kind == ColumnKind::number && first < scaling.mean.n_elem)
      columns_.push_back({column.name, first, scaling.mean(first), scaling.deviation(first)});
  }
}

void FarCells::add(const arma::mat& X) {
  for (Counted& column : columns_)
    for (arma::uword n = 0; n < X.n_cols; ++n)
      if (std::abs(X(column.row, n) - column.mean) > far_deviations * column.deviation) ++column.far;
}

void FarCells::report() const {
  constexpr std::size_t most = 5;
  std::size_t told = 0;
  for (const Counted& column : columns_) {
    if (column.far == 0 || ++told > most) continue;
    note(
        "{} {} {} more than {} standard deviations from its mean at the fit ({}, deviation {}): no interval is known to hold so far out\n",
        counted(column.far, "row"), column.far == 1 ? "has" : "have", show_text(column.column),
        far_deviations, five_digits(column.mean), five_digits(column.deviation));
  }
  if (told > most) note("{} more columns have such cells\n", told - most);
}

}  // namespace lacp
