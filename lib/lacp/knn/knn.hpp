#pragma once

#include <armadillo>
#include <memory>
#include <vector>

#include "lacp/base/groups.hpp"
#include "lacp/base/options.hpp"

namespace lacp {

/// One value of K and the mean squared error it had.
struct KnnTrial {
  std::size_t k;
  double error;
};

/// K-nearest-neighbour regression with the Euclidean distance: the mean target of the K nearest points, those
/// at equal distance in the order of their index. The search is mlpack's; copies share it, and threads take
/// turns in it.
class KnnRegressor {
 public:
  static constexpr double largest_coordinate = 1e150;  ///< leaves room for the sum over 100,000 attributes

  /// A model with a given K, 1 ≤ K ≤ number of points. RunError for coordinates beyond `largest_coordinate`.
  KnnRegressor(arma::mat X, arma::vec y, std::size_t k);

  /// Chooses K, the smallest of equal errors, on (a random sample of) the points and fits on them. Values of
  /// K larger than what a fold holds are left out; UserError if none is left. No group is in two folds.
  static KnnRegressor fit(const arma::mat& X, const arma::vec& y, const KnnOptions& options, Stream& stream,
                          const Groups& groups = {});

  KnnRegressor(const KnnRegressor&) = default;  // also in place of a move, which would leave half a model
  KnnRegressor& operator=(const KnnRegressor&) = default;

  /// f(x) for each column of X; RunError for coordinates beyond `largest_coordinate`.
  arma::vec predict(const arma::mat& X) const;

  /// The same for every K of an increasing grid, whatever the model's own: |grid| × (columns of X).
  arma::mat means(const arma::mat& X, const std::vector<std::size_t>& grid) const;

  std::size_t k() const { return k_; }
  const std::vector<KnnTrial>& trials() const { return trials_; }
  const arma::mat& points() const { return *points_; }
  const arma::vec& targets() const { return y_; }

 private:
  class Search;
  std::shared_ptr<const arma::mat> points_;
  std::shared_ptr<Search> search_;
  arma::vec y_;
  std::size_t k_ = 0;
  std::vector<KnnTrial> trials_;
};

/// Refuses coordinates whose squares overflow, and numbers that are not finite.
void require_coordinates(const arma::mat& X);

}  // namespace lacp
