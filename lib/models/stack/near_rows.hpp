#pragma once

#include <armadillo>
#include <memory>
#include <vector>

namespace lacp {

class NeighbourSearch;

/// Points that a search leaves out, from `begin` up to `end`: those of a fold.
struct LeftOut {
  std::size_t begin = 0, end = 0;
};

/// The neighbours of a stack: as KnnRegressor, to the bit, by a search of our own. A stack looks for the
/// neighbours of every row, which takes mlpack's search several times as long, and one search serves all
/// folds and threads at once.
class NearRows {
 public:
  /// 1 ≤ K ≤ number of points. RunError for coordinates that KnnRegressor refuses.
  NearRows(arma::mat X, arma::vec y, std::size_t k);

  /// f(x) for each column of X.
  arma::vec predict(const arma::mat& X) const;

  /// The same for every K of an increasing grid: |grid| × (columns of X).
  arma::mat means(const arma::mat& X, const std::vector<std::size_t>& grid,
                  const LeftOut& left_out = {}) const;

  /// The same points with another K.
  NearRows with(std::size_t k) const;

  std::size_t k() const { return k_; }
  const arma::mat& points() const;
  const arma::vec& targets() const { return y_; }

 private:
  std::shared_ptr<const NeighbourSearch> search_;
  arma::vec y_;
  std::size_t k_ = 0;
};

}  // namespace lacp
