#pragma once

#include <armadillo>
#include <functional>
#include <vector>

#include "lacp/classes/objective.hpp"
#include "lacp/network/mlp.hpp"

namespace lacp {

struct Localizer;

/// What is trained: a class of transformations φ_x, a row of Table 1, made from a struct by `make_class`; or
/// another network with a loss and a criterion of its own. All functions work on whole batches; columns of
/// `g` belong to points, rows to outputs of the network; `v` are parameters shared by all points.
struct TransformationClass {
  Learning learning = Learning::none;
  std::size_t outputs = 0;                ///< of g; 0: no network
  std::vector<double> shared_start = {};  ///< where v starts; as long as v

  /// Of its network on this many inputs.
  MlpShape shape(const NetworkOptions& network, std::size_t inputs) const {
    return {.inputs = inputs,
            .hidden = network.hidden,
            .outputs = outputs,
            .linear_first = network.released.linear_first};
  }

  /// For Learning::adaptation: g is trained by ℓ_1, and s to the power of the one of these θ that validates
  /// best is used, or 0, `fixed`, if none is better than that: v(Power::theta). The others of v are limits of
  /// g, from the rows that it was trained on (fit_localizer.cpp): far out it would make sizes of any order.
  std::vector<double> adaptations = {};

  /// Transformed scores B_n = φ_{x_n}(A_n), up to an increasing function common to all x. A = 0 is log_a =
  /// −inf.
  arma::vec (*scores)(const TransformationOptions&, const arma::vec& log_a, const arma::mat& g,
                      const arma::vec& v) = nullptr;

  /// Half-widths Δ = sqrt(φ_x⁻¹(q̂)) at each column of g, Section 2.3; q = +inf or above the codomain
  /// gives +inf, since then φ_x(A) ≤ q̂ for every A; q below the codomain gives `empty_interval`.
  arma::vec (*half_widths)(const TransformationOptions&, const arma::vec& q, const arma::mat& g,
                           const arma::vec& v) = nullptr;

  /// s(x) at each column of g; only for a scale family.
  arma::vec (*scales)(const TransformationOptions&, const arma::mat& g, const arma::vec& v) = nullptr;

  /// Loss of a batch; fills its gradient with respect to g (which has the size of g already) and v.
  std::function<double(const TransformationOptions&, const ObjectiveOptions&, const arma::vec& log_a,
                       const arma::mat& g, const arma::vec& v, arma::mat& g_gradient, arma::vec& v_gradient,
                       ObjectiveScratch& scratch)>
      loss = nullptr;

  /// What validation compares between epochs; none: the mean size of the intervals.
  std::function<double(const Localizer&, const arma::mat& g, const arma::vec& log_a)> criterion = nullptr;
};

}  // namespace lacp
