#pragma once

#include <armadillo>
#include <optional>
#include <vector>

#include "models/stack/inputs.hpp"
#include "models/stack/line.hpp"
#include "models/stack/mlp_regressor.hpp"
#include "models/stack/near_rows.hpp"
#include "models/trees/boosted.hpp"

namespace lacp {

/// To be raised where the same rows give another stack: results with an older one are then done again.
inline constexpr std::size_t stack_version = 3;

/// Boosted trees, a network, K nearest neighbours and a line together (Wolpert, 1992; Breiman, 1996):
/// f(x) = mean + Σ weight · (f_member(x) − mean), with weights ≥ 0 that have the least squared error where
/// members predict rows that they have not seen. Where it is better there, the line comes first: the others
/// are fitted to what it leaves, and the sum is added to it. Trees, networks and lines are means over the
/// models of all folds; neighbours are those among all rows. Networks and neighbours see each attribute no
/// farther out than in the rows of the fit, as trees do, and a line half of their range farther. The first
/// fold chooses whether networks see it mapped, how long they are trained, and, with many rows, which members
/// are worth the time that the other folds take. Threads may predict at the same time.
struct Stack {
  struct Weights {
    double boosted = 0.0, network = 0.0, neighbours = 0.0, line = 0.0;  ///< 0: there is no such member
  };

  /// f(x) for each column of X, all of whose numbers are finite.
  arma::vec predict(const arma::mat& X) const;

  arma::vec low, high;  ///< the ranges of the attributes, of which all members have as many
  double mean;          ///< of the targets, or of what the line leaves
  bool line_first = false;
  Weights weights;  ///< that of a line that comes first is 1
  std::vector<BoostedTrees> boosted = {};
  std::vector<MlpRegressor> networks = {};
  std::optional<BellMap> map = {};  ///< of the networks' attributes, where they are mapped
  std::optional<NearRows> neighbours = {};
  std::optional<Line> line = {};
};

/// A stack, and what it predicts for rows that its members have not seen: all, or, of many, the last ones.
struct CrossStacked {
  Stack stack;
  arma::vec out;
};

/// How a stack is fitted: every row is held out once in each repeat, which draws folds anew after the first.
/// A row's prediction is then the mean of as many models.
struct StackFolds {
  std::size_t folds = 5, repeats = 1;
};

/// Where each of the folds, runs of points in random order, begins, and the end. UserError for too few
/// points.
std::vector<std::size_t> fold_starts(std::size_t n, std::size_t folds, const Groups& groups = {});

/// The rows, which are in random order already, in runs of whole groups, each held out in its turn; then, for
/// each further repeat, in another order. Of many rows one run at their end is enough. UserError for fewer
/// groups than folds.
std::vector<HeldOut> stack_folds(std::size_t rows, const StackFolds& how, const Groups& groups,
                                 Stream& stream);

/// On scaled attributes X (d × n) and targets; the same on however many threads. UserError if not all finite.
CrossStacked fit_stack(const arma::mat& X, const arma::vec& y, const StackFolds& how,
                       const CentreOptions& options, Stream& stream, const Groups& groups, std::size_t jobs);

}  // namespace lacp
