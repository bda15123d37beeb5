#pragma once

#include <memory>

#include "lacp/training/fit_localizer.hpp"
#include "models/stack/centre.hpp"

namespace lacp {

/// The middle 68 % lies between the quantiles at this τ and at 1 − τ.
constexpr double inner_tau = 0.16;

/// The forests of the method `forest`, as its training rows chose them.
struct ChosenForests {
  ForestEnds ends;
  double unit = 0.0;  ///< half the mean width of the middle 68 % of training rows, out of bag; 0: unknown
  std::shared_ptr<const QuantileForest> errors = {}, targets = {};  ///< none if nothing of it counts

  /// Quantiles τ, which increase, at columns Z of attributes and prediction f.
  arma::mat quantiles(const arma::mat& Z, const arma::vec& f, std::span<const double> taus) const;
};

/// Candidates are small forests with leaves of 1, 5 and 20 rows, mixed by quarters; their loss is the pinball
/// loss at the quantiles of three levels, with weights 1/α, of training rows out of bag. The default is the
/// middle between errors, leaves of 20 rows or, with many rows, 5, and targets, leaves of 5 (choice.hpp).
ChosenForests choose_forests(const FitInput& input);

/// As a part of a model file, and back.
void write(ModelWriter& out, const ChosenForests& forests);
ChosenForests read_forests(ModelReader& in, std::size_t inputs);

}  // namespace lacp
