#pragma once

#ifdef __FAST_MATH__
#error \
    "lacp: fast-math changes results, also those of the methods that the library brings; compile this file without it"
#endif

#include <stdexcept>

#include "lacp/conformal/classes/general_class.hpp"
#include "lacp/conformal/classes/scale_family.hpp"
#include "lacp/conformal/classes/transformation_class.hpp"
#include "lacp/conformal/registry.hpp"

namespace lacp {

namespace detail {

/// g of a scale family at a point: none without a network, and changed by v for a class that has one (Power).
template <ScaleFamily F>
double output(const arma::mat& g, [[maybe_unused]] const arma::vec& v, arma::uword n) {
  if (g.n_rows == 0) return 0.0;
  if constexpr (requires { F::output(g(0, n), v); })
    return F::output(g(0, n), v);
  else
    return g(0, n);
}

template <class F>
void scores(const TransformationOptions& options, const arma::vec& log_a, const arma::mat& g,
            const arma::vec& v, arma::vec& b) {
  b.set_size(log_a.n_elem);
  for (arma::uword n = 0; n < log_a.n_elem; ++n)
    if constexpr (ScaleFamily<F>)
      b(n) = ScaleFamilyRules<F>(options).score(log_a(n), output<F>(g, v, n));
    else
      b(n) = GeneralRules<F>(options).score(log_a(n), g.colptr(n), v.memptr());
}

template <class F>
void half_widths(const TransformationOptions& options, const arma::vec& q, const arma::mat& g,
                 const arma::vec& v, arma::vec& half_width) {
  half_width.set_size(q.n_elem);
  for (arma::uword n = 0; n < q.n_elem; ++n)
    if constexpr (ScaleFamily<F>)
      half_width(n) = ScaleFamilyRules<F>(options).half_width(q(n), output<F>(g, v, n));
    else
      half_width(n) = GeneralRules<F>(options).half_width(q(n), g.colptr(n), v.memptr());
}

template <ScaleFamily F>
void scales(const TransformationOptions& options, const arma::mat& g, const arma::vec& v, arma::vec& s) {
  s.set_size(g.n_cols);
  for (arma::uword n = 0; n < g.n_cols; ++n) s(n) = math::exp(F(options).log_scale(output<F>(g, v, n)));
}

template <class F>
double size_loss(const TransformationOptions& transformation, const ObjectiveOptions& options,
                 const arma::vec& log_a, const arma::mat& g, [[maybe_unused]] const arma::vec& v,
                 arma::mat& g_gradient, [[maybe_unused]] arma::vec& v_gradient, ObjectiveScratch& scratch) {
  if constexpr (ScaleFamily<F>) {
    v_gradient.zeros();
    return ScaleFamilyRules<F>(transformation).size_loss(options, log_a, g, g_gradient, scratch);
  } else {
    if (options.kind == Objective::adaptation)
      throw std::logic_error("the objective adaptation needs a scale family");  // check_of refuses it
    return GeneralRules<F>(transformation).size_loss(options, log_a, g, v, g_gradient, v_gradient, scratch);
  }
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
  return phi;
}

/// The method of such a struct.
template <class F>
Method make_method(std::string name, Learning learning, std::string about = "", std::string equation = "") {
  return make_method(make_class<F>(learning), std::move(name), std::move(about), std::move(equation));
}

}  // namespace lacp
