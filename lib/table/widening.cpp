// Why an interval is wide.

#include <algorithm>

#include "table/table_model.hpp"

namespace lacp {
namespace {

/// Rows with evenly spaced ranks, by these attributes in their order.
std::vector<arma::uword> spread_rows(const arma::mat& values, std::size_t count) {
  std::vector<arma::uword> order(values.n_cols);
  for (arma::uword n = 0; n < order.size(); ++n) order[n] = n;
  std::ranges::stable_sort(order, [&](arma::uword a, arma::uword b) {
    return std::lexicographical_compare(values.begin_col(a), values.end_col(a), values.begin_col(b),
                                        values.end_col(b));
  });
  std::vector<arma::uword> rows;
  for (std::size_t k = 0; k < count; ++k) rows.push_back(order[(2 * k + 1) * order.size() / (2 * count)]);
  return rows;
}

}  // namespace

arma::mat TableModel::widening(const arma::mat& X, const Questions& questions, std::size_t l,
                               std::size_t jobs) const {
  constexpr std::size_t others = 8;
  const auto widths = [&](const arma::mat& rows) {
    std::vector<arma::uword> too_far;
    const TableIntervals found = ask(rows, questions, &too_far, jobs);
    arma::rowvec width = found.upper.row(l) - found.lower.row(l);
    width.replace(arma::datum::nan, 0.0);  // an empty interval
    return width;
  };
  const arma::rowvec own = widths(X);
  const arma::mat known = predictor_.calibration_rows();
  arma::mat all(columns_.attributes.size(), X.n_cols);
  arma::uword first = 0;
  for (std::size_t c = 0; c < columns_.attributes.size(); ++c) {
    const arma::uword last = first + attribute_count(columns_.attributes[c]) - 1;
    const arma::mat values = known.rows(first, last);
    arma::rowvec sum(X.n_cols, arma::fill::zeros);
    for (const arma::uword row : spread_rows(values, others)) {
      arma::mat changed = X;
      changed.rows(first, last).each_col() = values.col(row);
      sum += widths(changed);
    }
    for (arma::uword n = 0; n < X.n_cols; ++n) {
      const double mean = sum(n) / static_cast<double>(others);
      all(c, n) = mean > 0.0 && std::isfinite(mean) ? own(n) / mean : arma::datum::nan;
    }
    first = last + 1;
  }
  return all;
}

}  // namespace lacp
