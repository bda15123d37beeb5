#include "lacp/base/options.hpp"

#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"

namespace lacp {

bool Range::holds(double value) const {
  return std::isfinite(value) && (open ? value > low : value >= low) &&
         (open && !with_high ? value < high : value <= high);
}

std::string Range::text() const {
  if (std::isinf(high)) return fmt::format("a number {} {}", open ? "above" : "from", low);
  if (open && with_high) return fmt::format("a number above {}, at most {}", low, high);
  return fmt::format("a number {} {} and {}", open ? "strictly between" : "between", low, high);
}

SettingCheck& SettingCheck::within(std::string_view key, double value, const Range& range) {
  if (range.holds(value)) return *this;
  return that(key, false, fmt::format("found {}; expected {}", value, range.text()));
}

SettingCheck& SettingCheck::numbers(std::string_view key, const std::vector<std::size_t>& field,
                                    const Range& range) {
  ranges_.emplace_back(&field, range);
  for (const std::size_t value : field) within(key, static_cast<double>(value), range);
  return *this;
}

SettingCheck& SettingCheck::that(std::string_view key, bool holds, std::string_view message) {
  if (!holds && !problem_) problem_ = {std::string(key), std::string(message)};
  return *this;
}

SettingCheck& SettingCheck::part(std::string_view key, const SettingCheck& inside) {
  ranges_.insert(ranges_.end(), inside.ranges_.begin(), inside.ranges_.end());
  if (const auto& found = inside.problem_) that(fmt::format("{}.{}", key, found->key), false, found->message);
  return *this;
}

const Range& SettingCheck::range_of(const void* field) const {
  const auto found = std::ranges::find(ranges_, field, &std::pair<const void*, Range>::first);
  if (found == ranges_.end()) throw std::logic_error("a number without a range");
  return found->second;
}

void refuse(std::string_view whose, const SettingCheck& check) {
  if (const auto& found = check.problem()) user_error("{}: {}: {}", whose, found->key, found->message);
}

constexpr Range layer_widths{1, 100000};
SettingCheck check_of(const KnnOptions& knn) {
  return SettingCheck()
      .that("grid", !knn.grid.empty(), found_none)
      .numbers("grid", knn.grid, from_one)
      .that("grid", std::ranges::adjacent_find(knn.grid, std::ranges::greater_equal{}) == knn.grid.end(),
            "expected increasing numbers")
      .number("folds", knn.folds, Range{2, 1000});
}

SettingCheck check_of(const BoostedOptions& boosted) {
  return SettingCheck()
      .number("rounds", boosted.rounds, Range{1, 100000})
      .number("learning_rate", boosted.learning_rate, share_or_all)
      .number("leaves", boosted.leaves, Range{2, 65536})
      .number("least_rows", boosted.least_rows, Range{1, 1e9})
      .number("bins", boosted.bins, Range{2, 255})
      .number("validation_share", boosted.validation_share, Range{0, 0.9})
      .number("patience", boosted.patience, from_one)
      .number("columns", boosted.columns, share_or_all);
}

SettingCheck check_of(const AdamOptions& adam) {
  return SettingCheck()
      .number("learning_rate", adam.learning_rate, positive)
      .number("beta1", adam.beta1, share)
      .number("beta2", adam.beta2, share)
      .number("epsilon", adam.epsilon, positive);
}

SettingCheck check_of(const MlpRegressorOptions& mlp) {
  return SettingCheck()
      .numbers("hidden", mlp.hidden, layer_widths)
      .part("adam", check_of(mlp.adam))
      .number("epochs", mlp.epochs, Range{1, 1000000})
      .number("batch", mlp.batch, Range{1, 1000000})
      .number("validation_share", mlp.validation_share, share)
      .number("patience", mlp.patience, from_one);
}

SettingCheck check_of(const CentreOptions& centre) {
  return SettingCheck()
      .part("knn", check_of(centre.knn))
      .part("mlp", check_of(centre.mlp))
      .part("boosted", check_of(centre.boosted));
}

SettingCheck check_of(const SplitOptions& split) {
  const double sum = split.proper + split.train + split.test;
  return SettingCheck()
      .number("proper", split.proper, share)
      .number("train", split.train, share)
      .number("test", split.test, share)
      .that("test", std::abs(sum - 1.0) <= 1e-9,
            fmt::format("the three shares add up to {}; expected 1", sum));
}

SettingCheck check_of(const TransformationOptions& transformation) {
  return SettingCheck()
      .number("gamma", transformation.gamma, positive)
      .number("released.log_offset", transformation.released.log_offset, not_negative)
      .number("released.logit_clamp", transformation.released.logit_clamp, Range{0.0, 0.49});
}

SettingCheck check_of(const NetworkOptions& network) {
  return SettingCheck().numbers("hidden", network.hidden, layer_widths);
}

SettingCheck check_of(const TrainingOptions& training) {
  const SelectionOptions& selection = training.selection;
  return SettingCheck()
      .part("adam", check_of(training.adam))
      .number("epochs", training.epochs, Range{1, 1000000})
      .number("batch", training.batch, Range{2, 1000000})
      .number("selection.validation_share", selection.validation_share, share)
      .number("selection.patience", selection.patience, from_one)
      .number("selection.least_gain", selection.least_gain, Range{0.0, 0.99})
      .number("selection.released.decimals", selection.released.decimals, Range{-1, 15})
      .that("selection.levels", selection.criterion == Criterion::size || !selection.levels.empty(),
            found_none);
}

SettingCheck check_of(const BaselineOptions& baselines) {
  return SettingCheck()
      .number("knn_error.neighbours", baselines.knn_error.neighbours, Range{1, 1000000})
      .number("knn_error.beta", baselines.knn_error.beta, positive)
      .number("mondrian.bins", baselines.mondrian.bins, Range{1, 1000000});
}

TrainingOptions training_for(Learning learning, TrainingOptions training) {
  if (learning != Learning::adaptation) return training;
  training.selection.criterion = Criterion::winkler;
  return training;
}

}  // namespace lacp
