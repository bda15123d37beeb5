#pragma once

#include "lacp/conformal/method.hpp"

namespace lacp {

/// The probabilities whose quantiles the outputs of a network are: α/2 and 1 − α/2 of each level and ½, in
/// increasing order.
std::vector<double> quantile_probabilities(const std::vector<Level>& levels);

/// The method with its outputs trained as these quantiles of the targets, which `train` is given in place of
/// log A: by the mean over rows and outputs of the pinball loss (Koenker and Bassett, 1978), τ(y − q) for
/// y ≥ q and (τ − 1)(y − q) otherwise. Epochs are compared by the same.
Method pinball_method(Method method, const std::vector<Level>& levels);

}  // namespace lacp
