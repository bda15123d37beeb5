#pragma once

#include <armadillo>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "models/stack/inputs.hpp"
#include "models/stack/mlp_regressor.hpp"
#include "models/trees/boosted.hpp"

namespace lacp {

/// The networks of a stack, each without the rows of a fold. The first one is tried with attributes as they
/// are and mapped, and with a quarter, a half or all of its epochs; the others do as it did best.
class FoldNetworks {
 public:
  /// All is kept by reference.
  FoldNetworks(const arma::mat& X, const arma::vec& y, const std::vector<HeldOut>& folds,
               const Groups& groups, std::uint64_t seed);

  /// Tasks after which it is known what the first sees, and how long it is trained. None where there are few
  /// rows or more attributes than rows to learn from.
  std::vector<std::function<void()>> trials();

  /// What the first predicts for the rows of its fold; empty if there is none, or if it diverged. And what it
  /// predicted when its inputs were chosen: after a quarter of its epochs, or, up to few_rows_to_boost rows,
  /// after as many of them as were best.
  const arma::vec& first() const { return chosen_.best.out; }
  const arma::vec& first_tried() const { return tried_; }

  /// Tasks that train the others.
  std::vector<std::function<void()>> others();

  /// What all predict, fold after fold; empty if one diverged.
  arma::vec out();

  std::vector<MlpRegressor> take() { return std::move(networks_); }
  const std::optional<BellMap>& map() const { return map_; }

 private:
  /// A network, and what it predicts for the rows of its fold: nothing if it diverged.
  struct Member {
    MlpRegressor network = {};
    arma::vec out = {};
  };
  /// A training of the first, and its best end so far.
  struct Trial {
    std::unique_ptr<MlpTraining> training = {};
    arma::mat held = {};
    Member best = {};
  };

  static Member trained(MlpTraining& training, std::size_t epochs, const arma::mat& held);
  std::size_t epochs_of(std::size_t part) const;
  void try_inputs(Trial& trial, const arma::mat& X);
  void choose_inputs();
  void choose_epochs(Trial& trial) const;
  bool is_better(const Member& other, const Member& than) const;
  bool has_less_error(const Member& other, const Member& than) const;
  arma::vec losses_of(const Member& first) const;

  const arma::mat& X_;
  const arma::vec& y_;
  const std::vector<HeldOut>& folds_;
  const Groups& groups_;
  std::uint64_t seed_;
  MlpRegressorOptions options_;
  Trial raw_, mapped_, chosen_;
  std::atomic<std::size_t> untried_ = 0;  // of the first two
  arma::vec tried_;
  std::optional<BellMap> map_;  // none unless attributes are mapped
  arma::mat mapped_X_;
  std::vector<Member> members_;  // of each fold
  std::vector<MlpRegressor> networks_;
};

}  // namespace lacp
