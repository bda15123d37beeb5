#include "common/crps.hpp"

namespace lacp {

std::vector<Level> percentiles() {
  std::vector<Level> taus;
  for (int k = 1; k < 100; ++k) taus.emplace_back(k / 100.0);
  return taus;
}

arma::vec finite_quantiles(arma::vec quantiles) {
  const arma::vec known = quantiles(arma::find_finite(quantiles));
  if (known.empty())
    quantiles.fill(arma::datum::nan);
  else
    quantiles.clamp(known.front(), known.back());
  return quantiles;
}

double crps_score(const arma::vec& quantiles, double y) {
  const auto n = static_cast<double>(quantiles.n_elem);
  double sum = 0.0;
  for (arma::uword k = 0; k < quantiles.n_elem; ++k) {
    const double tau = static_cast<double>(k + 1) / (n + 1.0), over = y - quantiles(k);
    sum += over >= 0.0 ? tau * over : (tau - 1.0) * over;
  }
  return 2.0 / n * sum;
}

}  // namespace lacp
