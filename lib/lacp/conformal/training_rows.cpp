#include "lacp/conformal/training_rows.hpp"

#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/objective.hpp"

namespace lacp {
namespace {

/// How many rows it takes until each has a finite interval, which comes from the others.
std::size_t fewest(const Level& level, const TrainingOptions& options) {
  return (two_sided(options.selection) ? level.half() : level).fewest(options.quantile) + 1;
}

/// All levels of the criterion, and the one that needs the fewest rows.
std::vector<Level> levels_of(const SelectionOptions& selection) {
  return selection.criterion == Criterion::size ? std::vector{selection.level} : selection.levels;
}
Level largest_level(const SelectionOptions& selection) {
  const std::vector<Level> levels = levels_of(selection);
  return *std::ranges::max_element(levels, {}, &Level::value);
}

std::size_t smallest_batch(const TrainingOptions& options, Learning learning) {
  const bool one_level = learning == Learning::size && options.objective.kind == Objective::one_level;
  return one_level ? LeaveOneOutRank::smallest_batch(options.objective.level) : 2;
}

}  // namespace

std::vector<Level> validation_levels(std::size_t rows, const TrainingOptions& options) {
  std::vector<Level> levels = levels_of(options.selection);
  std::erase_if(levels, [&](const Level& level) { return rows < fewest(level, options); });
  return levels;
}

SelectionSizes selection_sizes(std::size_t n, const TrainingOptions& options) {
  const SelectionOptions& selection = options.selection;
  auto fitted =
      static_cast<std::size_t>(std::floor(static_cast<double>(n) * (1.0 - selection.validation_share)));
  if (selection.fit_rows != 0) fitted = std::min(fitted, selection.fit_rows);
  if (options.drop_partial_batch) fitted = fitted / options.batch * options.batch;
  std::size_t validation = n - fitted;
  if (selection.validation_rows != 0) validation = std::min(validation, selection.validation_rows);
  const Level level = largest_level(selection);
  if (validation >= fewest(level, options)) return {.fitted = fitted, .validation = validation};

  user_error(
      "training: {} of {} are too few for a finite interval at level {}, which needs {}; use more rows, or raise training.selection.{} or {}",
      counted(validation, "validation row"), n, level.text(), fewest(level, options),
      validation < n - fitted ? "validation_rows" : "validation_share",
      selection.criterion == Criterion::size ? "training.selection.level" : "the largest of the levels");
}

bool makes_step(std::size_t size, const TrainingOptions& options, Learning learning) {
  return size >= (options.drop_partial_batch ? options.batch : 1) &&
         size >= smallest_batch(options, learning);
}

void require_step(std::size_t rows, const TrainingOptions& options, Learning learning) {
  if (makes_step(std::min(rows, options.batch), options, learning)) return;
  const std::size_t needed = smallest_batch(options, learning);
  if (options.batch < needed)
    user_error(
        "training: a batch of {} is too small for level {}, which needs {}; raise training.batch or training.level",
        options.batch, options.objective.level.text(), needed);
  if (options.drop_partial_batch)
    user_error(
        "training: the fitted rows make no whole batch of {}; use more rows, lower training.batch, or set training.drop_partial_batch to false",
        options.batch);
  user_error(
      "training: {} too few for a step, which needs {}; use more rows, or lower training.selection.validation_share",
      rows == 1 ? "1 fitted row is" : fmt::format("{} fitted rows are", rows), needed);
}

}  // namespace lacp
