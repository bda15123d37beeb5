#include "lacp/conformal/rows/pinball.hpp"

#include <algorithm>

#include "lacp/conformal/localizer.hpp"

namespace lacp {
namespace {

/// Mean pinball loss, and its gradient if there is room for it.
double pinball(const std::vector<double>& tau, const arma::vec& y, const arma::mat& q, arma::mat* gradient) {
  const double unit = 1.0 / static_cast<double>(q.n_elem);
  double sum = 0.0;
  for (arma::uword n = 0; n < q.n_cols; ++n)
    for (arma::uword k = 0; k < q.n_rows; ++k) {
      const double over = y(n) - q(k, n), slope = over > 0.0 ? tau[k] : over < 0.0 ? tau[k] - 1.0 : 0.0;
      sum += slope * over;
      if (gradient != nullptr) (*gradient)(k, n) = -unit * slope;
    }
  return sum * unit;
}

}  // namespace

std::vector<double> quantile_probabilities(const std::vector<Level>& levels) {
  std::vector<double> tau = {0.5};
  for (const Level& level : levels) tau.insert(tau.end(), {0.5 * level.value(), 1.0 - 0.5 * level.value()});
  std::ranges::sort(tau);
  return tau;
}

Method pinball_method(Method method, const std::vector<Level>& levels) {
  const std::vector<double> tau = quantile_probabilities(levels);
  method.loss = [tau](const TransformationOptions&, const ObjectiveOptions&, const arma::vec& y,
                      const arma::mat& q, const arma::vec&, arma::mat& gradient, arma::vec&,
                      ObjectiveScratch&) { return pinball(tau, y, q, &gradient); };
  method.criterion = [tau](const Localizer& network, const arma::mat& X, const arma::vec& y) {
    return pinball(tau, y, network.g(X), nullptr);
  };
  return method;
}

}  // namespace lacp
