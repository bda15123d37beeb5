#include "lacp/model/adam.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "lacp/model/kernels/kernels.hpp"

namespace lacp {

namespace {

/// Sets moments to zero that are too small to change any parameter. Those of a dead unit would otherwise
/// decay to subnormal numbers and stay there, with which some processors take a hundred times as long.
template <class T>
void drop_small(arma::Col<T>& moments) {
  for (T& m : moments) m = std::abs(m) < T(1e-30) ? T(0) : m;
}

/// Often enough: β₁ = 0.9 takes 174 steps from 1e-30 to the subnormal numbers.
constexpr long long steps_between_drops = 100;

}  // namespace

template <class T>
Adam<T>::Adam(const AdamOptions& options, std::size_t parameters)
    : options_(options), mean_(parameters, arma::fill::zeros), square_(parameters, arma::fill::zeros) {}

template <class T>
void Adam<T>::step(arma::Col<T>& parameters, const arma::Col<T>& gradient) {
  power1_ *= options_.beta1;
  power2_ *= options_.beta2;
  const AdamStep<T> step{.beta1 = static_cast<T>(options_.beta1),
                         .rest1 = static_cast<T>(1.0 - options_.beta1),
                         .beta2 = static_cast<T>(options_.beta2),
                         .rest2 = static_cast<T>(1.0 - options_.beta2),
                         .rate = static_cast<T>(options_.learning_rate / (1.0 - power1_)),
                         .unbias = static_cast<T>(1.0 / std::sqrt(1.0 - power2_)),
                         .epsilon = static_cast<T>(options_.epsilon)};
  adam<T>(step, parameters.n_elem, gradient.memptr(), parameters.memptr(), mean_.memptr(), square_.memptr());
  if (++steps_ % steps_between_drops == 0) drop_small(mean_), drop_small(square_);
}

template <class T>
std::optional<T> Adam<T>::first_unusable(const arma::Col<T>& gradient) const {
  // One fast pass over the magnitudes as integers, in whose order infinity and nan come last. Squares up to
  // the largest number leave their running mean finite too.
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits magnitude = ~Bits{0} >> 1;
  const Bits harmless = std::bit_cast<Bits>(std::sqrt(std::numeric_limits<T>::max()));
  const T* __restrict g = gradient.memptr();
  Bits largest = 0;
  for (std::size_t i = 0; i < gradient.n_elem; ++i)
    largest = std::max(largest, std::bit_cast<Bits>(g[i]) & magnitude);
  if (largest <= harmless) return std::nullopt;
  const T beta2 = static_cast<T>(options_.beta2), rest2 = static_cast<T>(1.0 - options_.beta2);
  for (std::size_t i = 0; i < gradient.n_elem; ++i)
    if (!std::isfinite(beta2 * square_(i) + rest2 * g[i] * g[i])) return g[i];
  return std::nullopt;
}

template class Adam<float>;
template class Adam<double>;

}  // namespace lacp
