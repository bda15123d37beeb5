#include <algorithm>
#include <map>

#include "common/message.hpp"
#include "engine/plan.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/training/validation.hpp"
#include "lacp/data/split.hpp"
#include "lacp/model/centre.hpp"

namespace lacp {
namespace {

/// Rounded down; a tiny amount is added so that an exact product is not rounded down by its last bit.
std::size_t share_of(std::size_t count, double share) {
  const auto all = static_cast<double>(count);
  return std::min(count, static_cast<std::size_t>(all * share + 1e-9 * all));
}

SplitSizes part_sizes(const Experiment& experiment, std::size_t rows) {
  SplitSizes sizes = split_sizes(rows, experiment.split);
  if (!experiment.whole_batches) return sizes;
  const std::size_t batch = experiment.training.batch;
  for (std::size_t* part : {&sizes.proper, &sizes.train, &sizes.test}) {
    if (*part < batch)
      user_error(
          "split: a part of {} makes no whole batch of {}; use more rows, lower training.batch, or set split.whole_batches to false",
          counted(*part, "row"), batch);
    *part = whole_batches(*part, batch);
  }
  return sizes;
}

/// The fewest rows with which every method runs, if that is near.
std::string would_do(const Experiment& experiment, std::size_t rows) {
  constexpr std::size_t most = 2000;
  while (++rows <= most)
    if (std::ranges::all_of(experiment.methods, [&](const std::string& method) {
          return too_few_rows(experiment, method, rows).empty();
        }))
      return fmt::format("with {} rows all can", rows);
  return "";
}

/// What there is to say about this many rows; "" if they suffice.
std::string verdict(const Experiment& experiment, std::size_t rows) {
  std::vector<std::string> running, parts;
  std::map<std::string, std::vector<std::string>> others;  // by reason
  for (const std::string& method : experiment.methods) {
    const std::string reason = too_few_rows(experiment, method, rows);
    (reason.empty() ? running : others[reason]).push_back(method);
  }
  if (!others.empty() && !running.empty())
    parts.push_back(fmt::format("{} {}", join(running, ", "), running.size() > 1 ? "run" : "runs"));
  for (const auto& [reason, methods] : others)
    parts.push_back(fmt::format("{} cannot run ({})", join(methods, ", "), reason));
  if (!others.empty()) parts.push_back(would_do(experiment, rows));
  if (const auto levels = running.empty() ? running : infinite_levels(experiment, rows); !levels.empty())
    parts.push_back(fmt::format("intervals are infinite at {} {}", levels.size() > 1 ? "levels" : "level",
                                join(levels, ", ")));
  std::erase(parts, "");
  return join(parts, "; ");
}

}  // namespace

std::size_t rows_in(const Experiment& experiment, const std::string& dataset, std::size_t rows) {
  const auto found = experiment.sample.find(dataset);
  return found == experiment.sample.end() ? rows : share_of(rows, found->second);
}

std::size_t calibrating(const EvaluationOptions& evaluation, std::size_t pool) {
  return std::min(share_of(pool, evaluation.calibration_share), pool - 1);  // one at least is scored
}

void require_parts(const Experiment& experiment, std::size_t rows) { part_sizes(experiment, rows); }

std::string too_few_rows(const Experiment& experiment, std::string_view method, std::size_t rows) {
  try {
    SplitSizes sizes = part_sizes(experiment, rows);
    if (experiment.predictor.cross_fit != 0) sizes.proper = sizes.train = sizes.proper + sizes.train;
    require_points(sizes.proper, experiment.predictor);  // of the centre, then of those of the folds
    require_points(sizes.proper, experiment.predictor, experiment.predictor.cross_fit);
    const Method& traits = find_method(method);
    if (traits.learning == Learning::none) return "";
    if (traits.both_parts && experiment.predictor.cross_fit == 0) sizes.train += sizes.proper;
    TrainingOptions training = training_for(traits.learning, experiment.training);
    if (!traits.scale_family) training.selection.sides = Sides::both;
    require_step(selection_sizes(sizes.train, training).fitted, training, traits.learning);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

std::vector<std::string> infinite_levels(const Experiment& experiment, std::size_t rows) {
  const EvaluationOptions& evaluation = experiment.evaluation;
  const std::size_t test = part_sizes(experiment, rows).test;
  const std::size_t pool = evaluation.pool == 0 ? test : std::min(evaluation.pool, test);
  const std::size_t points =
      evaluation.mode == EvaluationMode::halves ? calibrating(evaluation, pool) : pool - 1;
  std::vector<std::string> levels;
  for (const Level& level : experiment.levels)
    if ((evaluation.sides == Sides::each ? level.half() : level).rank(points, evaluation.quantile) > points)
      levels.push_back(level.text());
  return levels;
}

std::string enough_rows_text(const std::vector<Experiment>& experiments, std::size_t rows) {
  std::map<std::string, std::vector<std::string>> verdicts;  // with the experiments that they are about
  for (const Experiment& experiment : experiments)
    verdicts[verdict(experiment, rows)].push_back(experiment.name);
  std::string text;
  for (const auto& [words, names] : verdicts)
    text += wrapped(words.empty() ? fmt::format("{} suffice for every method of {}", counted(rows, "row"),
                                                join(names, ", "))
                                  : fmt::format("{}: {}", join(names, ", "), words),
                    2) +
            "\n";
  return text;
}

}  // namespace lacp
