// `ml` and `uniform` of N. Colombo, "Normalizing flows for conformal regression" (UAI 2024, PMLR 244): the
// score |y − f| / (γ + |g|), trained as a flow to a fixed distribution. With A = |y − f| and w = |g|.

#include "lacp/conformal/baselines/baselines.hpp"
#include "lacp/conformal/paper/classes/make_method.hpp"
#include "lacp/conformal/paper/training/localizer.hpp"

namespace lacp {
namespace {

constexpr double gamma = 1e-3;

/// s = γ + |g|.
struct AbsoluteScale {
  explicit AbsoluteScale(const TransformationOptions&) {}
  double log_scale(double g) const { return math::log(gamma + std::fabs(g)); }
  double log_scale_slope(double g) const { return (g < 0.0 ? -1.0 : 1.0) / (gamma + std::fabs(g)); }
};

/// The mean of term(log A, s) over a batch, which also says its derivative by s.
template <class Term>
double mean_of_terms(const arma::vec& log_a, const arma::mat& g, arma::mat& gradient, Term term) {
  const double unit = 1.0 / static_cast<double>(log_a.n_elem);
  double sum = 0.0;
  for (arma::uword n = 0; n < log_a.n_elem; ++n) {
    double slope = 0.0;
    sum += term(0.5 * log_a(n), gamma + std::fabs(g(0, n)), slope);
    gradient(0, n) = unit * (g(0, n) < 0.0 ? -slope : slope);
  }
  return sum * unit;
}

/// Mean of (log(A / s))². An error below γ, the smallest scale, counts as γ: A = 0 would be infinite.
double ml_loss(const TransformationOptions&, const ObjectiveOptions&, const arma::vec& log_a,
               const arma::mat& g, const arma::vec&, arma::mat& gradient, arma::vec&, ObjectiveScratch&) {
  const double least = math::log(gamma);
  return mean_of_terms(log_a, g, gradient, [&](double log_error, double s, double& slope) {
    const double z = std::max(log_error, least) - math::log(s);
    slope = -2.0 * z / s;
    return z * z;
  });
}

/// −mean log(b(1 − b) / s), b = σ(a), a = A / s: each term is a + 2 log(1 + e^−a) + log s, finite at A = 0.
double uniform_loss(const TransformationOptions&, const ObjectiveOptions&, const arma::vec& log_a,
                    const arma::mat& g, const arma::vec&, arma::mat& gradient, arma::vec&,
                    ObjectiveScratch&) {
  return mean_of_terms(log_a, g, gradient, [](double log_error, double s, double& slope) {
    const double a = math::exp(log_error) / s, e = math::exp(-a);
    slope = (1.0 - a * (1.0 - e) / (1.0 + e)) / s;  // d/da of the term is tanh(a/2)
    return a + 2.0 * math::log1p(e) + math::log(s);
  });
}

/// Trained by its own loss, and epochs compared by it on the validation rows, which favours no level; by e to
/// it, which is positive, so that gains can be relative.
TransformationClass with_loss(double (*loss)(const TransformationOptions&, const ObjectiveOptions&,
                                             const arma::vec&, const arma::mat&, const arma::vec&, arma::mat&,
                                             arma::vec&, ObjectiveScratch&)) {
  TransformationClass phi = make_class<AbsoluteScale>(Learning::own);
  phi.loss = loss;
  phi.criterion = [loss](const Localizer& localizer, const arma::mat& g, const arma::vec& log_a) {
    arma::mat gradient(arma::size(g));
    arma::vec none;
    ObjectiveScratch scratch(0);
    return math::exp(loss(localizer.transformation, {}, log_a, g, none, gradient, none, scratch));
  };
  return phi;
}

}  // namespace

std::vector<Method> flow_methods() {
  return {make_method(with_loss(&ml_loss), "ml",
                      "the network is fitted to the logarithm of the error (Colombo 2024)",
                      "|y − f| / s, s = γ + |g|, g from min Σ (log(|y − f| / s))²"),
          make_method(
              with_loss(&uniform_loss), "uniform",
              "the network makes b, the logistic function of the score, as uniform as it can (Colombo 2024)",
              "|y − f| / s, s = γ + |g|, g from min −Σ log(b(1 − b) / s)")};
}

}  // namespace lacp
