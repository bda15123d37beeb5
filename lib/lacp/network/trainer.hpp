#pragma once

#include <armadillo>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "lacp/network/mlp.hpp"

namespace lacp {

/// Loss of a batch with these targets, given the outputs g of the network (outputs × batch) and parameters v
/// that all points share; fills its derivatives by both, which have their sizes already.
using BatchLoss = std::function<double(const arma::vec& targets, const arma::mat& g, const arma::vec& v,
                                       arma::mat& by_g, arma::vec& by_v)>;

/// What came of one step, or of the steps of an epoch.
struct StepResult {
  double loss = 0.0;
  std::optional<double> gradient = {};  ///< a component that the optimiser cannot take

  /// Else the training is over: the parameters may be lost.
  bool taken() const { return std::isfinite(loss) && !gradient; }
};

/// One network in training: takes optimiser steps on batches. Memory is allocated once; no step does.
class Trainer {
 public:
  /// `shared`: where v starts. `divide_by_origin`: the released code's g(x)/g(0) in place of g(x).
  Trainer(const MlpShape& shape, BatchLoss loss, const AdamOptions& adam, std::size_t largest_batch,
          const std::vector<double>& shared = {}, bool divide_by_origin = false);

  void initialise(Stream& stream) { net_.initialise(stream); }
  void set_learning_rate(double rate) { optimiser_.set_learning_rate(rate); }

  /// Loss on the columns `rows` of X (inputs × n) with their targets, then an optimiser step along its
  /// gradient, unless one of them cannot be used.
  StepResult step(const arma::fmat& X, const arma::vec& targets, std::span<const arma::uword> rows);

  Mlp& net() { return net_; }
  arma::vec& shared() { return shared_; }

 private:
  /// The loss; fills its derivatives by the outputs of the network and by what is shared.
  double differentiate(const arma::fmat& X, const arma::vec& targets, std::span<const arma::uword> rows);
  arma::fmat by_outputs();

  BatchLoss loss_;
  bool divide_by_origin_;
  Mlp net_;
  Adam<float> optimiser_;
  Adam<double> shared_optimiser_;
  arma::vec shared_, shared_gradient_;
  std::size_t batch_ = 0;
  arma::fvec inputs_, net_gradient_;    // what goes into and back into the network
  arma::vec targets_, g_, g_gradient_;  // what the loss sees; memory of outputs × batch matrices
};

/// How a training goes through its rows.
struct BatchOptions {
  std::size_t batch = 16;
  std::size_t fewest = 1;  ///< rows of a batch that makes a step; the last may have too few
  bool shuffle = true;     ///< a new order in every epoch
};

/// One training: a network, the rows that it learns from, and their order.
class Session {
 public:
  /// X and targets are kept by reference, and so is the stream of the order.
  Session(Trainer trainer, const BatchOptions& options, const arma::fmat& X, const arma::vec& targets,
          std::vector<arma::uword> rows, Stream& weights, Stream& order);

  /// One pass over the rows; the mean loss, or what became of the first step that was not taken.
  StepResult epoch();

  /// A parameter that is not finite.
  std::optional<double> bad_parameter();

  Trainer& trainer() { return trainer_; }
  std::size_t steps() const { return steps_; }

 private:
  Trainer trainer_;
  BatchOptions options_;
  const arma::fmat& X_;
  const arma::vec& targets_;
  std::vector<arma::uword> rows_;
  Stream& order_;
  std::size_t steps_ = 0;
};

}  // namespace lacp
