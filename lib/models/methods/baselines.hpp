#pragma once

#include "lacp/classes/transformation_class.hpp"
#include "lacp/conformal/registry.hpp"

/// Methods beyond the paper, for comparison. Each kind has a file here, with its reference and equation.
namespace lacp {

std::vector<Method> neighbour_methods();  ///< knn_error, mondrian
Method cqr_method();
Method ml_method();
Method forest_method();  ///< that of `lacp fit`

/// The probabilities whose quantiles a network gives: α/2 and 1 − α/2 of each level and ½, increasing.
std::vector<double> quantile_probabilities(const std::vector<Level>& levels);

/// A network whose outputs are these quantiles of the targets, which `train` is given in place of log A: by
/// the mean over rows and outputs of the pinball loss (Koenker and Bassett, 1978), τ(y − q) for y ≥ q and
/// (τ − 1)(y − q) otherwise. Epochs are compared by the same.
TransformationClass quantile_network(const std::vector<Level>& levels);

}  // namespace lacp
