#include "lacp/data/missing.hpp"

#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

arma::vec known_means(const arma::mat& X, const std::vector<std::string>& attributes) {
  arma::vec means(X.n_rows);
  for (arma::uword i = 0; i < X.n_rows; ++i) {
    // Running means stay in range where a sum of large numbers would not.
    double mean = 0.0, known = 0.0;
    for (arma::uword n = 0; n < X.n_cols; ++n)
      if (!std::isnan(X(i, n))) known += 1.0, mean += X(i, n) / known - mean / known;
    if (known == 0.0)
      user_error(
          "attribute {} is missing in all {} of the part that fits the predictor, so there is no mean to fill it with; leave the column out",
          show_text(attributes.at(i)), counted(X.n_cols, "row"));
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
