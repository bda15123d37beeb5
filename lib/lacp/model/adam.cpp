#include "lacp/model/adam.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace lacp {

template <class T>
Adam<T>::Adam(const AdamOptions& options, std::size_t parameters)
    : options_(options), mean_(parameters, arma::fill::zeros), square_(parameters, arma::fill::zeros) {}

template <class T>
void Adam<T>::step(arma::Col<T>& parameters, const arma::Col<T>& gradient) {
  ++steps_;
  const double bias1 = 1.0 - std::pow(options_.beta1, static_cast<double>(steps_));
  const double bias2 = 1.0 - std::pow(options_.beta2, static_cast<double>(steps_));
  const T rate = static_cast<T>(options_.learning_rate / bias1);
  const T unbias = static_cast<T>(1.0 / std::sqrt(bias2));
  const T beta1 = static_cast<T>(options_.beta1), beta2 = static_cast<T>(options_.beta2);
  const T rest1 = static_cast<T>(1.0 - options_.beta1), rest2 = static_cast<T>(1.0 - options_.beta2);
  const T epsilon = static_cast<T>(options_.epsilon);

  T* __restrict theta = parameters.memptr();
  const T* __restrict g = gradient.memptr();
  T* __restrict m = mean_.memptr();
  T* __restrict v = square_.memptr();
  const std::size_t count = parameters.n_elem;
  for (std::size_t i = 0; i < count; ++i) {
    m[i] = beta1 * m[i] + rest1 * g[i];
    v[i] = beta2 * v[i] + rest2 * g[i] * g[i];
    theta[i] -= rate * m[i] / (std::sqrt(v[i]) * unbias + epsilon);
  }
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
