#pragma once

#include <armadillo>

namespace lacp {

/// Kingma and Ba (2015), with PyTorch's defaults and PyTorch's placement of epsilon.
struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;    ///< decay of the mean of the gradient
  double beta2 = 0.999;  ///< decay of the mean of its square
  double epsilon = 1e-8;
};

/// θ ← θ − η m̂ / (sqrt(v̂) + ε), in one pass over parameters, gradient and both moments.
template <class T>
class Adam {
 public:
  Adam(const AdamOptions& options, std::size_t parameters);
  void step(arma::Col<T>& parameters, const arma::Col<T>& gradient);

 private:
  AdamOptions options_;
  arma::Col<T> mean_, square_;
  long long steps_ = 0;
};

}  // namespace lacp
