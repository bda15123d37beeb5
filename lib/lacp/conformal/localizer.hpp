#pragma once

#include <armadillo>
#include <memory>
#include <optional>
#include <vector>

#include "lacp/conformal/method.hpp"
#include "lacp/model/mlp.hpp"

namespace lacp {

/// A trained φ: the method, its network and its shared parameters, a value that depends on nothing else.
/// std::logic_error from one that has no method, i.e. was never trained.
struct Localizer {
  Method method;
  TransformationOptions transformation;
  NetworkOptions network;
  MlpShape shape;         ///< of the network, if the method has one
  arma::fvec parameters;  ///< of the network
  arma::vec shared;       ///< v

  /// θ, for a method with Learning::adaptation: sizes follow the local error to this power.
  std::optional<double> adaptation() const;

  /// g at each column of X (outputs × n); 0 × n for a method without a network.
  arma::mat g(const arma::mat& X) const;

  /// B = φ_x(A) for each column, up to a common increasing function.
  arma::vec scores(const arma::mat& X, const arma::vec& log_a) const;

  /// Δ(x) for each column of X and its q̂.
  arma::vec half_widths(const arma::mat& X, const arma::vec& q) const;
};

}  // namespace lacp
