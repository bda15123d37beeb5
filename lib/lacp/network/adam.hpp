#pragma once

#include <armadillo>
#include <optional>

#include "lacp/base/options.hpp"
#include "lacp/network/kernels/types.hpp"

namespace lacp {

/// θ ← θ − η m̂ / (sqrt(v̂) + ε), in one pass over parameters, gradient and both moments.
template <class T>
class Adam {
 public:
  Adam(const AdamOptions& options, std::size_t parameters);

  void set_learning_rate(double rate) { options_.learning_rate = rate; }

  /// The first component of the gradient that no step can take, if there is one: it is not finite, or its
  /// square makes the second moment infinite. Parameters and moments are lost in that case.
  [[nodiscard]] std::optional<T> step(arma::Col<T>& parameters, const arma::Col<T>& gradient);

  /// The same in parts, for a network that steps as it finds the gradient: the constants of the next step,
  /// what belongs to the parameters from `first` on, and the end, with whether all second moments are finite.
  AdamStep<T> begin_step();
  AdamState<T> state(arma::Col<T>& parameters, std::size_t first = 0);
  [[nodiscard]] std::optional<T> end_step(bool finite, const arma::Col<T>& gradient);

 private:
  AdamOptions options_;
  arma::Col<T> mean_, square_;
  long long steps_ = 0;
  double power1_ = 1.0, power2_ = 1.0;  // β₁ and β₂ to the number of steps, as running products
};

}  // namespace lacp
