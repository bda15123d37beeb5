#pragma once

#include <armadillo>
#include <functional>
#include <optional>
#include <vector>

#include "models/stack/near_rows.hpp"
#include "models/trees/boosted.hpp"

namespace lacp {

/// The neighbours of a stack: of the rows of each fold, among those of the others.
class FoldNeighbours {
 public:
  /// All is kept by reference.
  FoldNeighbours(const arma::mat& X, const arma::vec& y, const std::vector<HeldOut>& folds);

  /// A task for the first rows of the first fold, all of them where the table is small, and before these for
  /// the tree of all folds. None where a search would take longer than all else.
  std::vector<std::function<void()>> trials();

  /// What they predict for the first rows of the first fold, so far: by the K with the least error on these.
  arma::vec first() const;

  /// Tasks for the rest of the first fold, and for all other folds.
  std::vector<std::function<void()>> rest_of_first();
  std::vector<std::function<void()>> others();

  /// What they predict, fold after fold, by the K with the least error, and all rows with that K.
  arma::vec out();
  NearRows model() const { return all_->with(k_); }

 private:
  arma::vec best_of(const arma::mat& means, std::size_t& k) const;
  void search(std::size_t fold, arma::uword begin, arma::uword end);
  void add_tasks(std::vector<std::function<void()>>& tasks, std::size_t fold, arma::uword begin);

  const arma::mat& X_;
  const arma::vec& y_;
  const std::vector<HeldOut>& folds_;
  std::vector<std::size_t> grid_;
  std::optional<NearRows> all_;
  std::vector<arma::mat> means_;  // of each fold, a row for each K
  std::size_t k_ = 0;
};

}  // namespace lacp
