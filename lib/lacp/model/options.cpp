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

std::optional<SettingProblem> find_problem(const AdamOptions& adam) {
  return SettingCheck()
      .number("learning_rate", adam.learning_rate, positive)
      .number("beta1", adam.beta1, share)
      .number("beta2", adam.beta2, share)
      .number("epsilon", adam.epsilon, positive)
      .problem();
}

}  // namespace lacp
