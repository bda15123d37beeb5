#pragma once

#ifdef __FAST_MATH__
#error fast-math changes results: compile without it
#endif

#include "lacp/classes/general_class.hpp"
#include "lacp/classes/scale_family.hpp"
#include "lacp/conformal/registry.hpp"

namespace lacp {

namespace detail {

template <class F>
auto rules_of(const TransformationOptions& options) {
  if constexpr (ScaleFamily<F>)
    return ScaleFamilyRules<F>(options);
  else
    return GeneralRules<F>(options);
}

template <class F>
arma::vec scores(const TransformationOptions& options, const arma::vec& log_a, const arma::mat& g,
                 const arma::vec& v) {
  const auto rules = rules_of<F>(options);
  arma::vec b(log_a.n_elem);
  for (arma::uword n = 0; n < b.n_elem; ++n) b(n) = rules.score(log_a(n), g, v, n);
  return b;
}

template <class F>
arma::vec half_widths(const TransformationOptions& options, const arma::vec& q, const arma::mat& g,
                      const arma::vec& v) {
  const auto rules = rules_of<F>(options);
  arma::vec half_width(q.n_elem);
  for (arma::uword n = 0; n < q.n_elem; ++n) half_width(n) = rules.half_width(q(n), g, v, n);
  return half_width;
}

template <ScaleFamily F>
arma::vec scales(const TransformationOptions& options, const arma::mat& g, const arma::vec& v) {
  const ScaleFamilyRules<F> rules(options);
  arma::vec s(g.n_cols);
  for (arma::uword n = 0; n < g.n_cols; ++n) s(n) = rules.scale(g, v, n);
  return s;
}

template <class F>
double size_loss(const TransformationOptions& transformation, const ObjectiveOptions& options,
                 const arma::vec& log_a, const arma::mat& g, const arma::vec& v, arma::mat& g_gradient,
                 arma::vec& v_gradient, ObjectiveScratch& scratch) {
  return rules_of<F>(transformation).size_loss(options, log_a, g, v, g_gradient, v_gradient, scratch);
}

template <ScaleFamily F>
double adaptation_loss(const TransformationOptions& transformation, const ObjectiveOptions&,
                       const arma::vec& log_a, const arma::mat& g, const arma::vec&, arma::mat& g_gradient,
                       arma::vec& v_gradient, ObjectiveScratch& scratch) {
  return ScaleFamilyRules<F>(transformation).adaptation_loss(log_a, g, g_gradient, v_gradient, scratch);
}

}  // namespace detail

/// A class of transformations from its struct: a scale family or a general class.
template <class F>
TransformationClass make_class(Learning learning) {
  TransformationClass phi;
  phi.learning = learning;
  if constexpr (requires { F::outputs; })
    phi.outputs = F::outputs;
  else
    phi.outputs = 1;
  if constexpr (requires { F::shared_start; })
    phi.shared_start.assign(F::shared_start.begin(), F::shared_start.end());
  else if constexpr (requires { F::shared; })
    phi.shared_start.assign(F::shared, 0.0);
  phi.scores = &detail::scores<F>;
  phi.half_widths = &detail::half_widths<F>;
  if constexpr (ScaleFamily<F>) phi.scales = &detail::scales<F>;
  phi.loss = learning == Learning::error_fit ? &error_fit : &detail::size_loss<F>;
  if constexpr (ScaleFamily<F>)
    if (learning == Learning::adaptation) phi.loss = &detail::adaptation_loss<F>;
  return phi;
}

/// The method of such a struct.
template <class F>
Method make_method(std::string name, Learning learning, std::string about = "", std::string equation = "") {
  return make_method(make_class<F>(learning), std::move(name), std::move(about), std::move(equation));
}

}  // namespace lacp
