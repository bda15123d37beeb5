#include "output/pool.hpp"

#include <fmt/format.h>

#include <map>

#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/two_sided.hpp"

namespace lacp {
namespace {

std::size_t points(const Cell& cell, std::string_view metric) {
  return static_cast<std::size_t>(cell.value(metric).value_or(0.0));
}

/// "mine (40), other (60)".
std::string list(const std::map<std::string, std::size_t>& points_of, const Experiment& e) {
  std::vector<std::string> texts;
  for (const std::string& dataset : e.datasets)
    if (const auto found = points_of.find(dataset); found != points_of.end())
      texts.push_back(fmt::format("{} ({})", dataset, found->second));
  return join(texts, ", ");
}

}  // namespace

Promise promised_validity(const Experiment& e, const Cell& cell, const Level& level) {
  const std::size_t calibration = points(cell, "calibration_points");
  if (calibration == 0) return {1.0 - level.value(), 1.0 - level.value()};
  const std::vector<Level> levels = fitted_levels(e, cell.task);
  return promised_coverage(find_method(cell.task.method), e.evaluation.sides,
                           {.level = level,
                            .points = calibration,
                            .rule = e.evaluation.quantile,
                            .leave_one_out = e.evaluation.mode == EvaluationMode::leave_one_out,
                            .all = &levels,
                            .rows = e.rows});
}

bool validity_is_constant(const Experiment& experiment, const Cell& cell) {
  return experiment.evaluation.mode == EvaluationMode::leave_one_out &&
         points(cell, "scored_points") == points(cell, "calibration_points");
}

std::string log_target_note(const Results& results) {
  if (results.log_targets.empty()) return "";
  return fmt::format("log(1 + y) is predicted, and sizes are in its units, on: {}.",
                     join(results.log_targets, ", "));
}

std::vector<std::string> pool_notes(const Results& results) {
  const Experiment& e = results.experiment;
  std::map<std::string, std::size_t> small_pool, few_scored, constant;
  for (const auto& [task, cell] : results.cells) {
    const std::size_t test = points(cell, "rows_test"), scored = points(cell, "scored_points");
    if (test == 0 || scored == 0) continue;
    if (test < e.evaluation.pool) small_pool[task.dataset] = test;
    if (scored < e.evaluation.scored) few_scored[task.dataset] = scored;
    if (validity_is_constant(e, cell)) constant[task.dataset] = scored;
  }
  std::vector<std::string> notes;
  if (!results.log_targets.empty()) notes.push_back(log_target_note(results));
  if (!small_pool.empty())
    notes.push_back(
        fmt::format("Fewer test points than the pool of {}: {}.", e.evaluation.pool, list(small_pool, e)));
  if (!few_scored.empty())
    notes.push_back(fmt::format("Fewer points scored than the {} asked for: {}.", e.evaluation.scored,
                                list(few_scored, e)));
  if (!constant.empty())
    notes.push_back(fmt::format(
        "Every point of the pool is scored by leave-one-out on {}: validity is then a constant of the ranks, not a measurement; calibration and test halves (evaluation.mode: halves) measure it.",
        list(constant, e)));
  return notes;
}

}  // namespace lacp
