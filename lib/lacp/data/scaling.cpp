#include "lacp/data/scaling.hpp"

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

Scaling Scaling::fit(const arma::mat& X, const arma::vec& y) {
  Scaling scaling;
  scaling.mean.set_size(X.n_rows);
  scaling.deviation.set_size(X.n_rows);
  for (arma::uword i = 0; i < X.n_rows; ++i) {
    const arma::rowvec row = X.row(i);
    // Sums of squares of very large or very small attributes would overflow or vanish.
    const double unit = arma::abs(row).max();
    // Recognised by its values: the deviation of equal numbers may come out as rounding noise.
    const bool constant = unit == 0.0 || row.min() == row.max();
    scaling.mean(i) = constant ? row(0) : unit * mean_of(arma::rowvec(row / unit));
    scaling.deviation(i) = constant ? 1.0 : unit * deviation_of(arma::rowvec(row / unit));
  }
  const double unit = arma::abs(y).max();
  if (unit != 0.0) scaling.target = unit * mean_of(arma::vec(arma::abs(y / unit)));
  return scaling;
}

arma::mat Scaling::attributes(const arma::mat& X) const {
  arma::mat scaled = X.each_col() - mean;
  scaled.each_col() /= deviation;
  return scaled;
}

arma::vec Scaling::targets(const arma::vec& y) const { return y / target; }

arma::vec known_means(const arma::mat& X, const std::vector<std::string>& attributes) {
  arma::vec means(X.n_rows);
  for (arma::uword i = 0; i < X.n_rows; ++i) {
    // Running means stay in range where a sum of large numbers would not.
    double mean = 0.0, known = 0.0;
    for (arma::uword n = 0; n < X.n_cols; ++n)
      if (!std::isnan(X(i, n))) {
        known += 1.0;
        mean += X(i, n) / known - mean / known;
      }
    if (known == 0.0)
      user_error("attribute {} is missing in all {}; leave the column out", show_text(attributes.at(i)),
                 counted(X.n_cols, "row"));
    means(i) = mean;
  }
  return means;
}

void fill_missing(arma::mat& X, const arma::vec& means) {
  for (arma::uword n = 0; n < X.n_cols; ++n)
    for (arma::uword i = 0; i < X.n_rows; ++i)
      if (std::isnan(X(i, n))) X(i, n) = means(i);
}

}  // namespace lacp
