#pragma once

#include <cstddef>
#include <vector>

#include "lacp/base/setting.hpp"

namespace lacp {

/// How K is chosen.
enum class KnnSelection {
  cross_validation,  ///< k-fold cross-validation over the whole sample
  hold_out,          ///< the released code: the last fifth of the sample, once
};

struct KnnOptions {
  std::vector<std::size_t> grid = {2, 4, 8, 16, 32};  ///< values of K to try, increasing
  KnnSelection selection = KnnSelection::cross_validation;
  std::size_t folds = 5;   ///< of the cross-validation
  std::size_t points = 0;  ///< at most this many points, drawn at random, make the model; 0: all
};
std::optional<SettingProblem> find_problem(const KnnOptions& knn);

/// Kingma and Ba (2015), with PyTorch's defaults and PyTorch's placement of epsilon.
struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;    ///< decay of the mean of the gradient
  double beta2 = 0.999;  ///< decay of the mean of its square
  double epsilon = 1e-8;
};
std::optional<SettingProblem> find_problem(const AdamOptions& adam);

}  // namespace lacp
