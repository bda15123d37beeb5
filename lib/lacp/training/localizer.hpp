#pragma once

#include <armadillo>
#include <memory>
#include <optional>

#include "lacp/classes/transformation_class.hpp"
#include "lacp/conformal/score.hpp"

namespace lacp {

/// A trained φ: its class, its network and its shared parameters, a value that depends on nothing else.
struct Localizer {
  TransformationClass phi;
  TransformationOptions transformation = {};
  NetworkOptions network = {};
  MlpShape shape = {};         ///< of the network, if there is one
  arma::fvec parameters = {};  ///< of the network
  arma::vec shared = {};       ///< v

  /// θ, for a class with Learning::adaptation: sizes follow the local error to this power.
  std::optional<double> adaptation() const;

  /// g at each column of X (outputs × n); 0 × n for a class without a network.
  arma::mat g(const arma::fmat& X) const;
  arma::mat g(const arma::mat& X) const { return g(arma::fmat(arma::conv_to<arma::fmat>::from(X))); }
};

/// The score of a class of transformations: a trained φ.
std::shared_ptr<const FittedScore> class_score(Localizer localizer);

/// Writes a trained network with its transformation, and reads it back: UserError for one that no training
/// makes. `outputs` of the network, and `shared` parameters.
void write_localizer(const Localizer& localizer, ModelWriter& out);
Localizer read_localizer(const TransformationClass& phi, ModelReader& in, std::size_t inputs);

}  // namespace lacp
