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
  /// Of the middle 68 % of training rows, out of bag: half the mean width, 0 if it is unknown; and widths
  /// that cut these rows into 60 parts of equally many.
  double unit = 0.0;
  std::vector<double> width_cuts = {};
  std::shared_ptr<const BaggedForest> errors = {}, targets = {};  ///< none if nothing of it counts

  /// Quantiles τ, which increase, at columns Z of attributes and prediction f; or of these rows of the fit,
  /// out of bag, NaN for one that has grown all trees.
  arma::mat quantiles(const arma::mat& Z, const arma::vec& f, std::span<const double> taus) const;
  arma::mat out_of_bag(const arma::mat& Z, const arma::vec& f, std::span<const double> taus,
                       std::span<const std::uint32_t> rows, std::size_t jobs) const;
};

/// Candidates are small forests with leaves of 1, 5 and 20 rows, mixed by quarters; their loss is the pinball
/// loss at the quantiles of three levels, with weights 1/α, of training rows out of bag. The default is the
/// middle between errors, leaves of 20 rows or, with many rows, 5, and targets, leaves of 5 (choice.hpp).
/// Then the same rows choose the power of the coverage that is asked of the forests, by the Winkler score of
/// intervals with one threshold.
ChosenForests choose_forests(const FitInput& input);

/// In which scores of rows count: the width of the middle 68 %, as far as that is below `most`, which is
/// usually m, half its mean over training rows.
template <class Widths>
Widths unit_of(const Widths& widths, double m, double most) {
  constexpr double least_unit = 1e-100;  // targets are of the order of one
  if (m <= least_unit) return Widths(widths.n_elem, arma::fill::ones);
  return arma::clamp(widths, 0.0, most) + 0.01 * m;
}

/// α′ of the quantiles that are asked of the forests where 1 − α is promised: 1 − α′ = (1 − α)^power.
double asked_alpha(const Level& level, double power);

/// As a part of a model file, and back.
void write(ModelWriter& out, const ChosenForests& forests);
ChosenForests read_forests(ModelReader& in, std::size_t inputs);

}  // namespace lacp
