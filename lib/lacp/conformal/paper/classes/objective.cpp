#include "lacp/conformal/paper/classes/objective.hpp"

#include <algorithm>
#include <cfloat>

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

double adaptation_loss(double theta, const std::vector<double>& t, const std::vector<double>& u,
                       std::size_t n, std::vector<double>& by_t, std::vector<double>& by_u) {
  // log mean e^{a(x − top)}, and the weights: with the largest exponent taken out the sum is at least 1.
  const auto log_mean = [n](double a, const std::vector<double>& x, double top, std::vector<double>& weight) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += weight[i] = math::exp(a * (x[i] - top));
    for (std::size_t i = 0; i < n; ++i) weight[i] /= sum;
    return math::log(sum / static_cast<double>(n));
  };
  const auto end = static_cast<std::ptrdiff_t>(n);
  const double u_top = *std::max_element(u.begin(), u.begin() + end);
  if (u_top == -HUGE_VAL) {
    std::fill_n(by_t.begin(), n, 0.0);
    std::fill_n(by_u.begin(), n, 0.0);
    return 0.0;
  }
  const auto [low, high] = std::minmax_element(t.begin(), t.begin() + end);
  const double t_top = *high, a = std::fmin((1.0 - theta) / theta, DBL_MAX);
  const double errors = u_top + log_mean(1.0, u, u_top, by_u);
  if (a * (t_top - *low) >= 1e-8) return t_top + log_mean(a, t, t_top, by_t) / a + errors;
  double sum = 0.0;  // a → 0: here the logarithm above would be rounding alone
  for (std::size_t i = 0; i < n; ++i) {
    sum += t[i];
    by_t[i] = 1.0 / static_cast<double>(n);
  }
  return sum / static_cast<double>(n) + errors;
}

}  // namespace lacp
