#pragma once

#include <armadillo>
#include <cstddef>
#include <vector>

#include "lacp/base/groups.hpp"
#include "lacp/training/localizer.hpp"

namespace lacp {

/// What the criterion says of a localizer; less is better.
struct ValidationScore {
  double value = 0.0;  ///< nan or infinite if there is none
  arma::vec shared;    ///< v with which it was reached: θ, where the method has several to choose from
};

/// The validation rows, while the number of epochs is chosen.
class Validation {
 public:
  /// Under the criterion winkler the score of `fixed`, by definition.
  static constexpr double of_fixed = 1.0;

  /// `errors`: y − f, which two-sided intervals need; none: the sign of errors does not matter.
  Validation(const TrainingOptions& options, arma::fmat X, arma::vec log_a, arma::vec errors = {});

  /// By leave-one-out on the rows. Of several θ to choose from, the best above 0; θ = 0 is `fixed`.
  ValidationScore score(const Localizer& localizer) const;

 private:
  double value(const Localizer& localizer, const arma::mat& g, const arma::vec& shared) const;

  TrainingOptions options_;
  arma::fmat X_;
  arma::vec log_a_, error_;  // |y − f|, or y − f for two sides
  std::vector<Level> levels_;
  std::vector<double> fixed_;  // its Winkler score at each level
};

/// Rows of a batch that makes a step: a partial one may be dropped, pairs need two rows, and the sizes at one
/// level enough others for a finite interval.
std::size_t fewest_for_step(const TrainingOptions& options, Learning learning);

/// The rows that are fitted on while the number of epochs is selected, and those that validate. UserError,
/// naming the setting to change, if the latter are too few for a finite interval at any of the levels at
/// which the criterion looks, or the former for a step.
TwoParts divide_for_selection(std::size_t n, const TrainingOptions& options, Learning learning,
                              const Groups& groups, Stream& stream);

}  // namespace lacp
