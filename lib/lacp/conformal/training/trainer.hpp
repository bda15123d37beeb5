#pragma once

#include <armadillo>
#include <optional>
#include <span>

#include "lacp/base/random.hpp"
#include "lacp/conformal/training/localizer.hpp"
#include "lacp/conformal/method.hpp"
#include "lacp/model/adam.hpp"
#include "lacp/model/mlp.hpp"

namespace lacp {

/// What came of one step.
struct StepResult {
  double loss = 0.0;
  std::optional<double> gradient = {};  ///< a component that the optimiser cannot take

  bool taken() const;  ///< else the training is over: the parameters may be lost
};

/// One network in training: takes optimiser steps on batches. Everything is allocated here once; a step
/// allocates nothing.
class Trainer {
 public:
  Trainer(const Method& method, const TransformationOptions& transformation, const NetworkOptions& network,
          const ObjectiveOptions& objective, const AdamOptions& adam, std::size_t inputs,
          std::size_t largest_batch);

  void initialise(Stream& stream) { net_.initialise(stream); }

  /// Loss on one batch, the columns `rows` of X (inputs × n) with their scores log_a; fills the gradients.
  double evaluate(const arma::fmat& X, const arma::vec& log_a, std::span<const arma::uword> rows);

  /// As evaluate, then an optimiser step, unless loss or gradient cannot be used.
  StepResult step(const arma::fmat& X, const arma::vec& log_a, std::span<const arma::uword> rows);

  Mlp& net() { return net_; }
  arma::vec& shared() { return shared_; }
  const arma::vec& shared_gradient() const { return shared_gradient_; }

  /// Derivative of the last loss by the outputs of g (outputs × batch).
  arma::mat output_gradient() const;

 private:
  Method method_;
  TransformationOptions transformation_;
  ObjectiveOptions objective_;
  bool divide_by_origin_;
  Mlp net_;
  Adam<float> optimiser_;
  Adam<double> shared_optimiser_;
  arma::vec shared_, shared_gradient_;
  ObjectiveScratch scratch_;
  std::size_t batch_ = 0;
  arma::fvec inputs_, net_gradient_;   // what goes into and back into the network
  arma::vec scores_, g_, g_gradient_;  // what the objective sees; memory of outputs × batch matrices
};

}  // namespace lacp
