#include "lacp/conformal/localizer.hpp"

#include <stdexcept>

namespace lacp {
namespace {

const Method& usable(const Method& method) {
  if (method.name.empty()) throw std::logic_error("Localizer: there is no method in it; train one first");
  return method;
}

}  // namespace

std::optional<double> Localizer::adaptation() const {
  if (usable(method).learning != Learning::adaptation) return std::nullopt;
  return method.adaptations.size() > 1 ? shared(0) : method.adaptations.front();
}

arma::mat Localizer::g(const arma::mat& X) const {
  if (usable(method).outputs == 0) return arma::mat(0, X.n_cols);
  arma::mat values =
      arma::conv_to<arma::mat>::from(evaluate(shape, parameters, arma::conv_to<arma::fmat>::from(X)));
  if (network.divide_by_origin) {
    const arma::fmat origin(X.n_rows, 1, arma::fill::zeros);
    const arma::vec g0 = arma::conv_to<arma::vec>::from(evaluate(shape, parameters, origin));
    values.each_col() /= g0;
  }
  return values;
}

arma::vec Localizer::scores(const arma::mat& X, const arma::vec& log_a) const {
  arma::vec b;
  usable(method).scores(transformation, log_a, g(X), shared, b);
  return b;
}

arma::vec Localizer::half_widths(const arma::mat& X, const arma::vec& q) const {
  arma::vec half_width;
  usable(method).half_widths(transformation, q, g(X), shared, half_width);
  return half_width;
}

}  // namespace lacp
