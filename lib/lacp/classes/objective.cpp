#include "lacp/classes/objective.hpp"

#include "lacp/base/math.hpp"

namespace lacp {

double error_fit(const TransformationOptions&, const ObjectiveOptions& options, const arma::vec& log_a,
                 const arma::mat& g, const arma::vec&, arma::mat& gradient, arma::vec&, ObjectiveScratch&) {
  const double unit = 1.0 / static_cast<double>(log_a.n_elem);
  double sum = 0.0;
  for (arma::uword n = 0; n < log_a.n_elem; ++n) {
    const double g_n = g(0, n), a = math::exp(log_a(n));
    const double fitted = options.released.squared_error_fit ? g_n * g_n : g_n;
    const double slope = options.released.squared_error_fit ? 2.0 * g_n : 1.0;
    sum += (fitted - a) * (fitted - a);
    gradient(0, n) = 2.0 * unit * (fitted - a) * slope;
  }
  return sum * unit;
}

}  // namespace lacp
