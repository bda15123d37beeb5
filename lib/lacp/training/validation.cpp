#include "lacp/training/validation.hpp"

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/classes/transformations.hpp"

namespace lacp {
namespace {

double rounded(double size, int decimals) {
  if (decimals < 0) return size;
  double unit = 1.0;
  for (int i = 0; i < decimals; ++i) unit *= 10.0;  // exact up to 10^22
  return std::round(size * unit) / unit;
}

/// exp(½x): |r| from log A, and the half-width of `fixed` from its q̂.
arma::vec root_of_exp(arma::vec x) {
  return x.transform([](double value) { return math::exp(0.5 * value); });
}

/// How many rows it takes until each has a finite interval, which comes from the others.
std::size_t fewest(const Level& level, const TrainingOptions& options) {
  return (two_sided(options.selection) ? level.half() : level).fewest(options.quantile) + 1;
}

/// Those at which the criterion looks.
std::vector<Level> levels_of(const SelectionOptions& selection) {
  return selection.criterion == Criterion::size ? std::vector{selection.level} : selection.levels;
}

std::size_t smallest_batch(const TrainingOptions& options, Learning learning) {
  const bool one_level = learning == Learning::size && options.objective.kind == Objective::one_level;
  return one_level ? options.objective.level.fewest() + 1 : 2;
}

void require_step(std::size_t rows, const TrainingOptions& options, Learning learning) {
  if (std::min(rows, options.batch) >= fewest_for_step(options, learning)) return;
  const std::size_t needed = smallest_batch(options, learning);
  if (options.batch < needed)
    user_fault({.kind = FaultKind::small_batch},
               "training: a batch of {} is too small for level {}, which needs {}", options.batch,
               options.objective.level.text(), needed);
  if (options.released.drop_partial_batch)
    user_fault({.kind = FaultKind::large_batch}, "training: no whole batch of {}", options.batch);
  user_fault({.kind = FaultKind::few_fitted_rows}, "training: {} to fit, a step needs {}",
             counted(rows, "row"), needed);
}

}  // namespace

Validation::Validation(const TrainingOptions& options, arma::fmat X, arma::vec log_a, arma::vec errors)
    : options_(options),
      X_(std::move(X)),
      log_a_(std::move(log_a)),
      error_(errors.empty() ? root_of_exp(log_a_) : std::move(errors)),
      levels_(levels_of(options.selection)) {
  // Levels for which these rows are too few to give a finite interval are left out.
  std::erase_if(levels_, [&](const Level& level) { return log_a_.n_elem < fewest(level, options); });
  if (options_.selection.criterion == Criterion::size) return;
  for (const Level& level : levels_)
    fixed_.push_back(
        two_sided(options_.selection)
            ? winkler_of_sides(error_, arma::ones(error_.n_elem), level, options_.quantile)
            : winkler_score(root_of_exp(leave_one_out(log_a_, level, options_.quantile)), error_, level));
}

double Validation::value(const Localizer& localizer, const arma::mat& g, const arma::vec& shared) const {
  const TransformationClass& phi = localizer.phi;
  const bool by_size = options_.selection.criterion == Criterion::size, sides = two_sided(options_.selection);
  const arma::vec of_rows = sides ? phi.scales(localizer.transformation, g, shared)
                                  : phi.scores(localizer.transformation, log_a_, g, shared);
  if (!sides && of_rows.has_nan()) return arma::datum::nan;
  std::vector<double> values;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    double found = 0.0;
    if (sides) {
      found = winkler_of_sides(error_, of_rows, levels_[i], options_.quantile);
    } else {
      const arma::vec q = leave_one_out(of_rows, levels_[i], options_.quantile),
                      half_width = phi.half_widths(localizer.transformation, q, g, shared);
      found = by_size ? mean_size(half_width) : winkler_score(half_width, error_, levels_[i]);
    }
    // Errors that are all zero have intervals of size zero, whatever the method.
    if (!by_size) found = fixed_[i] == 0.0 ? of_fixed : found / fixed_[i];
    values.push_back(found);
  }
  return rounded(mean_of(values), options_.selection.released.decimals);
}

ValidationScore Validation::score(const Localizer& localizer) const {
  const arma::mat g = localizer.g(X_);
  const TransformationClass& phi = localizer.phi;
  if (phi.criterion) return {phi.criterion(localizer, g, log_a_), localizer.shared};
  if (phi.adaptations.empty()) return {value(localizer, g, localizer.shared), localizer.shared};
  ValidationScore best{arma::datum::nan, localizer.shared};
  for (const double theta : phi.adaptations) {
    arma::vec shared = localizer.shared;
    shared(Power::theta) = theta;
    const double here = value(localizer, g, shared);
    if (std::isnan(best.value) || here < best.value) best = {here, shared};
  }
  return best;
}

std::size_t fewest_for_step(const TrainingOptions& options, Learning learning) {
  return std::max(options.released.drop_partial_batch ? options.batch : 1, smallest_batch(options, learning));
}

TwoParts divide_for_selection(std::size_t n, const TrainingOptions& options, Learning learning,
                              const Groups& groups, Stream& stream) {
  const SelectionOptions& selection = options.selection;
  auto fitted =
      static_cast<std::size_t>(std::floor(static_cast<double>(n) * (1.0 - selection.validation_share)));
  if (selection.released.fit_rows != 0) fitted = std::min(fitted, selection.released.fit_rows);
  if (options.released.drop_partial_batch) fitted = fitted / options.batch * options.batch;
  TwoParts parts = divide_rows(n, fitted, groups, stream);
  const bool limited = groups.empty() && selection.released.validation_rows != 0 &&
                       selection.released.validation_rows < parts.second.size();
  if (limited) parts.second.resize(selection.released.validation_rows);
  const std::vector<Level> levels = levels_of(selection);
  const Level level = *std::ranges::max_element(levels, {}, &Level::value);  // it needs the fewest rows
  if (parts.second.size() < fewest(level, options))
    user_fault({.kind = FaultKind::few_validation_rows},
               "training: {} of {} are too few for a finite interval at level {}, which needs {}",
               counted(parts.second.size(), "validation row"), n, level.text(), fewest(level, options));
  require_step(parts.first.size(), options, learning);
  return parts;
}

}  // namespace lacp
