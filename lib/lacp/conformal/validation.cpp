#include "lacp/conformal/validation.hpp"

#include <cmath>

#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/metrics.hpp"
#include "lacp/conformal/training_rows.hpp"

namespace lacp {
namespace {

double rounded(double size, int decimals) {
  if (decimals < 0) return size;
  const double unit = math::power(10.0, decimals);
  return std::round(size * unit) / unit;
}

/// exp(½x): |r| from log A, and the half-width of `fixed` from its q̂.
arma::vec root_of_exp(arma::vec x) {
  return x.transform([](double value) { return math::exp(0.5 * value); });
}

}  // namespace

Validation::Validation(const TrainingOptions& options, arma::mat X, arma::vec log_a, arma::vec errors)
    : options_(options),
      X_(std::move(X)),
      log_a_(std::move(log_a)),
      error_(errors.empty() ? root_of_exp(log_a_) : std::move(errors)),
      levels_(validation_levels(log_a_.n_elem, options)) {
  if (options_.selection.criterion == Criterion::size) return;
  for (const Level& level : levels_)
    fixed_.push_back(
        two_sided(options_.selection)
            ? winkler_of_sides(arma::ones(error_.n_elem), level)
            : winkler_score(root_of_exp(leave_one_out(log_a_, level, options_.quantile)), error_, level));
}

/// Of f − q₁·s ≤ y ≤ f + q₂·s, as TwoSidedScore has them.
double Validation::winkler_of_sides(const arma::vec& s, const Level& level) const {
  const arma::vec z = error_ / s;
  const Bounds bounds{leave_one_out(-z, level.half(), options_.quantile) % s,
                      leave_one_out(z, level.half(), options_.quantile) % s};
  return winkler_score(bounds, arma::zeros(s.n_elem), error_, level);
}

double Validation::value(const Localizer& localizer, const arma::mat& g, const arma::vec& shared) const {
  const Method& method = localizer.method;
  // Errors that are all zero have intervals of size zero, whatever the method.
  const auto in_units_of_fixed = [&](double winkler, std::size_t i) {
    return fixed_[i] == 0.0 ? of_fixed : winkler / fixed_[i];
  };
  std::vector<double> values;
  if (two_sided(options_.selection)) {
    arma::vec s;
    method.scales(localizer.transformation, g, shared, s);
    for (std::size_t i = 0; i < levels_.size(); ++i)
      values.push_back(in_units_of_fixed(winkler_of_sides(s, levels_[i]), i));
    return rounded(mean_of(values), options_.selection.decimals);
  }
  arma::vec scores, half_width;
  method.scores(localizer.transformation, log_a_, g, shared, scores);
  if (scores.has_nan()) return arma::datum::nan;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const arma::vec q = leave_one_out(scores, levels_[i], options_.quantile);
    method.half_widths(localizer.transformation, q, g, shared, half_width);
    values.push_back(options_.selection.criterion == Criterion::size
                         ? mean_size(half_width)
                         : in_units_of_fixed(winkler_score(half_width, error_, levels_[i]), i));
  }
  return rounded(mean_of(values), options_.selection.decimals);
}

ValidationScore Validation::score(const Localizer& localizer) const {
  const arma::mat g = localizer.g(X_);
  const Method& method = localizer.method;
  if (method.criterion) return {method.criterion(localizer, X_, log_a_), localizer.shared};
  if (method.adaptations.size() < 2) return {value(localizer, g, localizer.shared), localizer.shared};
  ValidationScore best{arma::datum::nan, localizer.shared};
  for (const double theta : method.adaptations) {
    if (theta == 0.0) continue;
    arma::vec shared = localizer.shared;
    shared(0) = theta;
    const double here = value(localizer, g, shared);
    if (std::isnan(best.value) || here < best.value) best = {here, shared};
  }
  return best;
}

}  // namespace lacp
