#pragma once

#include <armadillo>
#include <memory>

#include "lacp/base/groups.hpp"
#include "lacp/network/mlp.hpp"

namespace lacp {

/// Regression by a network with squared loss, trained by Adam on standardised targets.
struct MlpRegressor {
  /// A held-out part of whole groups chooses the number of epochs; the network is then trained again on all
  /// points. RunError if the training diverges.
  static MlpRegressor fit(const arma::mat& X, const arma::vec& y, const MlpRegressorOptions& options,
                          Stream& stream, const Groups& groups = {});

  /// f(x) for each column of X; not finite where x lies too far out for a value.
  arma::vec predict(const arma::mat& X) const;

  MlpShape shape;
  arma::fvec parameters;   ///< as many as the shape says
  double mean, deviation;  ///< of the targets
  std::size_t epochs = 0;  ///< of the training; 0 for a model that was stored
};

/// The same on all points, for as many epochs as the caller wants: it may look at the model and go on.
class MlpTraining {
 public:
  MlpTraining(arma::fmat X, const arma::vec& y, const MlpRegressorOptions& options, Stream stream);
  ~MlpTraining();

  /// Up to this many epochs in all, with a learning rate that falls to 0. RunError if the training diverges.
  void train_to(std::size_t epochs);

  MlpRegressor model() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lacp
