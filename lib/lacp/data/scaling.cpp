#include "lacp/data/scaling.hpp"

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"

namespace lacp {
namespace {

/// Largest magnitude, so that sums of squares of very large or very small attributes neither overflow nor
/// vanish.
double magnitude(const arma::rowvec& values) { return arma::abs(values).max(); }

}  // namespace

Scaling Scaling::fit(const arma::mat& X, const arma::vec& y) {
  Scaling scaling;
  scaling.mean.set_size(X.n_rows);
  scaling.deviation.set_size(X.n_rows);
  for (arma::uword i = 0; i < X.n_rows; ++i) {
    const arma::rowvec row = X.row(i);
    const double unit = magnitude(row);
    // A constant attribute is recognised by its values: the deviation of equal numbers may come out as
    // rounding noise.
    const bool constant = unit == 0.0 || row.min() == row.max();
    scaling.mean(i) = constant ? row(0) : unit * mean_of(arma::rowvec(row / unit));
    scaling.deviation(i) = constant ? 1.0 : unit * deviation_of(arma::rowvec(row / unit));
  }
  const double unit = arma::abs(y).max();
  if (unit == 0.0)
    user_error("all {} targets are zero; sizes in units of the mean |y| have no meaning", y.n_elem);
  scaling.target = unit * mean_of(arma::vec(arma::abs(y / unit)));
  return scaling;
}

arma::mat Scaling::attributes(const arma::mat& X) const {
  arma::mat scaled = X.each_col() - mean;
  scaled.each_col() /= deviation;
  return scaled;
}

arma::vec Scaling::targets(const arma::vec& y) const { return y / target; }

}  // namespace lacp
