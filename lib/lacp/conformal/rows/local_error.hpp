#pragma once

#include "lacp/conformal/fit_score.hpp"
#include "lacp/conformal/model_bytes.hpp"
#include "lacp/model/knn.hpp"

namespace lacp {

/// σ̂(x): the mean |y − f| of the points of the second part that are nearest to x.
class LocalError {
 public:
  explicit LocalError(const FitInput& input);
  LocalError(ModelReader& in, std::size_t inputs);

  /// 1 × n.
  arma::mat at(const arma::mat& X) const { return errors_.predict(X).t(); }
  void write(ModelWriter& out) const;

 private:
  KnnRegressor errors_;
};

}  // namespace lacp
