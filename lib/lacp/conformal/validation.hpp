#pragma once

#include <armadillo>
#include <vector>

#include "lacp/conformal/localizer.hpp"
#include "lacp/conformal/options.hpp"

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
  Validation(const TrainingOptions& options, arma::mat X, arma::vec log_a, arma::vec errors = {});

  /// By leave-one-out on the rows. Of a method that has several θ to choose from, the best above 0; θ = 0 is
  /// `fixed`.
  ValidationScore score(const Localizer& localizer) const;

 private:
  double value(const Localizer& localizer, const arma::mat& g, const arma::vec& shared) const;
  double winkler_of_sides(const arma::vec& s, const Level& level) const;

  TrainingOptions options_;
  arma::mat X_;
  arma::vec log_a_, error_;  // |y − f|, or y − f for two sides
  std::vector<Level> levels_;
  std::vector<double> fixed_;  // its Winkler score at each level
};

}  // namespace lacp
