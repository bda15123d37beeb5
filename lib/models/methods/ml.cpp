// `ml` of N. Colombo, "Normalizing flows for conformal regression" (UAI 2024, PMLR 244): the score
// |y − f| / (γ + |g|), trained as a flow to a fixed distribution. With A = |y − f|.

#include "lacp/classes/make_method.hpp"
#include "lacp/training/localizer.hpp"
#include "models/methods/baselines.hpp"

namespace lacp {
namespace {

constexpr double gamma = 1e-3;

/// s = γ + |g|.
struct AbsoluteScale {
  explicit AbsoluteScale(const TransformationOptions&) {}
  double log_scale(double g) const { return math::log(gamma + std::fabs(g)); }
  double log_scale_slope(double g) const { return (g < 0.0 ? -1.0 : 1.0) / (gamma + std::fabs(g)); }
};

/// Mean of (log(A / s))². An error below γ, the smallest scale, counts as γ: A = 0 would be infinite.
double ml_loss(const TransformationOptions&, const ObjectiveOptions&, const arma::vec& log_a,
               const arma::mat& g, const arma::vec&, arma::mat& gradient, arma::vec&, ObjectiveScratch&) {
  const double least = math::log(gamma), unit = 1.0 / static_cast<double>(log_a.n_elem);
  double sum = 0.0;
  for (arma::uword n = 0; n < log_a.n_elem; ++n) {
    const double s = gamma + std::fabs(g(0, n));
    const double z = std::max(0.5 * log_a(n), least) - math::log(s), slope = -2.0 * z / s;
    sum += z * z;
    gradient(0, n) = unit * (g(0, n) < 0.0 ? -slope : slope);
  }
  return sum * unit;
}

/// What compares epochs: e to the loss on the validation rows, which favours no level; it is positive, so
/// that gains can be relative.
double ml_criterion(const Localizer& localizer, const arma::mat& g, const arma::vec& log_a) {
  arma::mat gradient(arma::size(g));
  arma::vec none;
  ObjectiveScratch scratch(0);
  return math::exp(ml_loss(localizer.transformation, {}, log_a, g, none, gradient, none, scratch));
}

}  // namespace

Method ml_method() {
  TransformationClass phi = make_class<AbsoluteScale>(Learning::own);
  phi.loss = &ml_loss;
  phi.criterion = &ml_criterion;
  return make_method(std::move(phi), "ml", "a flow to one distribution (Colombo 2024)",
                     "|y − f| / s, s = γ + |g|, g from min Σ (log(|y − f| / s))²");
}

}  // namespace lacp
