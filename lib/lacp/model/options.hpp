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

/// Gradient-boosted regression trees with squared loss; the defaults are those of scikit-learn's
/// HistGradientBoostingRegressor.
struct BoostedOptions {
  std::size_t rounds = 100;       ///< trees, at most
  double learning_rate = 0.1;     ///< share of a leaf's mean residual that is taken over
  std::size_t leaves = 31;        ///< of a tree, at most
  std::size_t least_rows = 20;    ///< in a leaf
  std::size_t bins = 255;         ///< different values of an attribute, at most
  double validation_share = 0.2;  ///< of the rows decide on the number of rounds; 0: all rounds are made
  std::size_t patience = 30;      ///< stop after this many rounds without gain on these rows
};
std::optional<SettingProblem> find_problem(const BoostedOptions& boosted);

/// Kingma and Ba (2015), with PyTorch's defaults and PyTorch's placement of epsilon.
struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;    ///< decay of the mean of the gradient
  double beta2 = 0.999;  ///< decay of the mean of its square
  double epsilon = 1e-8;
};
std::optional<SettingProblem> find_problem(const AdamOptions& adam);

/// A network as a regression of its own, with squared loss.
struct MlpRegressorOptions {
  std::vector<std::size_t> hidden = {100, 100, 100, 100, 100};
  AdamOptions adam = {};
  std::size_t epochs = 100;  ///< at most
  std::size_t batch = 64;
  double validation_share = 0.2;  ///< of the points choose the number of epochs
  std::size_t patience = 10;      ///< stop after this many epochs without gain on these points
};
std::optional<SettingProblem> find_problem(const MlpRegressorOptions& mlp);

/// Which regression makes the point prediction f, the centre of the intervals.
enum class CentreKind { knn, mlp, boosted };

struct CentreOptions {
  CentreKind kind = CentreKind::knn;
  KnnOptions knn = {};
  MlpRegressorOptions mlp = {};
  BoostedOptions boosted = {};
};
std::optional<SettingProblem> find_problem(const CentreOptions& centre);

}  // namespace lacp
