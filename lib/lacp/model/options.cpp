#include "lacp/model/options.hpp"

#include <algorithm>

namespace lacp {

std::optional<SettingProblem> find_problem(const KnnOptions& knn) {
  SettingCheck check;
  check.that("grid", !knn.grid.empty(), "found an empty list; expected at least one number");
  for (const std::size_t k : knn.grid) check.number("grid", static_cast<double>(k), from_one);
  return check
      .that("grid", std::ranges::adjacent_find(knn.grid, std::ranges::greater_equal{}) == knn.grid.end(),
            "expected increasing values of K")
      .number("folds", static_cast<double>(knn.folds), Range{2, 1000})
      .problem();
}

std::optional<SettingProblem> find_problem(const BoostedOptions& boosted) {
  return SettingCheck()
      .number("rounds", static_cast<double>(boosted.rounds), Range{1, 100000})
      .number("learning_rate", boosted.learning_rate, positive)
      .number("learning_rate", boosted.learning_rate, Range{0, 1})
      .number("leaves", static_cast<double>(boosted.leaves), Range{2, 65536})
      .number("least_rows", static_cast<double>(boosted.least_rows), Range{1, 1e9})
      .number("bins", static_cast<double>(boosted.bins), Range{2, 255})
      .number("validation_share", boosted.validation_share, Range{0, 0.9})
      .number("patience", static_cast<double>(boosted.patience), from_one)
      .problem();
}

std::optional<SettingProblem> find_problem(const AdamOptions& adam) {
  return SettingCheck()
      .number("learning_rate", adam.learning_rate, positive)
      .number("beta1", adam.beta1, share)
      .number("beta2", adam.beta2, share)
      .number("epsilon", adam.epsilon, positive)
      .problem();
}

std::optional<SettingProblem> find_problem(const MlpRegressorOptions& mlp) {
  SettingCheck check;
  for (const std::size_t width : mlp.hidden)
    check.number("hidden", static_cast<double>(width), Range{1, 100000});
  return check.part("adam", find_problem(mlp.adam))
      .number("epochs", static_cast<double>(mlp.epochs), Range{1, 1000000})
      .number("batch", static_cast<double>(mlp.batch), Range{1, 1000000})
      .number("validation_share", mlp.validation_share, share)
      .number("patience", static_cast<double>(mlp.patience), from_one)
      .problem();
}

std::optional<SettingProblem> find_problem(const CentreOptions& centre) {
  return SettingCheck()
      .part("knn", find_problem(centre.knn))
      .part("mlp", find_problem(centre.mlp))
      .part("boosted", find_problem(centre.boosted))
      .problem();
}

}  // namespace lacp
