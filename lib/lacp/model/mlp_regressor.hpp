#pragma once

#include <armadillo>

#include "lacp/base/groups.hpp"
#include "lacp/base/options.hpp"
#include "lacp/base/random.hpp"
#include "lacp/model/mlp.hpp"

namespace lacp {

/// Regression by a network with squared loss, trained by Adam on standardised targets. Threads may predict at
/// the same time.
class MlpRegressor {
 public:
  /// A held-out part of whole groups chooses the number of epochs; the network is then trained again on all
  /// points. RunError if the training diverges.
  static MlpRegressor fit(const arma::mat& X, const arma::vec& y, const MlpRegressorOptions& options,
                          Stream& stream, const Groups& groups = {});

  /// All points are trained on, for options.epochs epochs, with a learning rate that falls to 0.
  static MlpRegressor train(const arma::mat& X, const arma::vec& y, const MlpRegressorOptions& options,
                            Stream& stream);

  /// A model as it was stored; as many parameters as the shape says.
  MlpRegressor(MlpShape shape, arma::fvec parameters, double mean, double deviation);

  /// f(x) for each column of X; not finite where x lies too far out for a value.
  arma::vec predict(const arma::mat& X) const;

  const MlpShape& shape() const { return shape_; }
  const arma::fvec& parameters() const { return parameters_; }
  double mean() const { return mean_; }
  double deviation() const { return deviation_; }
  std::size_t epochs() const { return epochs_; }  ///< of the training; 0 for a model that was stored

 private:
  MlpShape shape_;
  arma::fvec parameters_;
  double mean_, deviation_;  // of the targets
  std::size_t epochs_ = 0;
};

/// How many of n points are held out while the number of epochs is chosen. UserError if that leaves a part
/// without a point.
std::size_t held_out_points(std::size_t n, const MlpRegressorOptions& options);

}  // namespace lacp
