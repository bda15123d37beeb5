#include "lacp/conformal/excess_risk.hpp"

#include <cmath>

#include "lacp/base/sums.hpp"
#include "lacp/model/boosted.hpp"

namespace lacp {
namespace {

constexpr std::size_t folds = 5, fewest_points = 50;

/// Small trees and few rounds: there is little to find, and blog_data has 280 attributes.
const BoostedOptions classifier{.rounds = 40,
                                .learning_rate = 0.15,
                                .leaves = 8,
                                .least_rows = 20,
                                .bins = 63,
                                .validation_share = 0.2,
                                .patience = 5};

/// P(covered | x) of points by trees that have not seen them.
arma::vec predicted(const arma::mat& X, const arma::vec& covered, Stream& stream) {
  const auto order = stream.permutation<arma::uword>(covered.n_elem);
  arma::vec p(covered.n_elem);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<arma::uword> fitted, left_out;
    for (std::size_t i = 0; i < order.size(); ++i)
      (i % folds == fold ? left_out : fitted).push_back(order[i]);
    const arma::uvec rows(fitted), others(left_out);
    const BoostedTrees trees = BoostedTrees::fit(X.cols(rows), covered.elem(rows), classifier, stream);
    p.elem(others) = arma::clamp(trees.predict(X.cols(others)), 0.0, 1.0);
  }
  return p;
}

}  // namespace

ExcessRisk excess_risk(const arma::mat& X, const arma::vec& covered, double alpha, Stream& stream) {
  if (covered.n_elem < fewest_points) return {arma::datum::nan, arma::datum::nan};
  const arma::vec p = predicted(X, covered, stream);
  std::vector<double> gain(covered.n_elem);
  for (arma::uword i = 0; i < covered.n_elem; ++i) {
    const double by_constant = 1.0 - alpha - covered(i), by_trees = p(i) - covered(i);
    gain[i] = by_constant * by_constant - by_trees * by_trees;
  }
  return {mean_of(gain), deviation_of(gain) / std::sqrt(static_cast<double>(gain.size() - 1))};
}

}  // namespace lacp
