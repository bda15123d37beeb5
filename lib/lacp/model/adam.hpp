#pragma once

#include <armadillo>
#include <optional>

#include "lacp/base/options.hpp"

namespace lacp {

/// θ ← θ − η m̂ / (sqrt(v̂) + ε), in one pass over parameters, gradient and both moments.
template <class T>
class Adam {
 public:
  Adam(const AdamOptions& options, std::size_t parameters);

  void set_learning_rate(double rate) { options_.learning_rate = rate; }

  /// The first component of the gradient that no step can take, if there is one: it is not finite, or its
  /// square makes the second moment infinite, and then that parameter would never move again. Parameters and
  /// moments are lost in that case.
  [[nodiscard]] std::optional<T> step(arma::Col<T>& parameters, const arma::Col<T>& gradient);

 private:
  AdamOptions options_;
  arma::Col<T> mean_, square_;
  long long steps_ = 0;
  double power1_ = 1.0, power2_ = 1.0;  // β₁ and β₂ to the number of steps, as running products
};

}  // namespace lacp
