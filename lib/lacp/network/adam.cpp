#include "lacp/network/adam.hpp"

#include "lacp/network/kernels/kernels.hpp"

namespace lacp {

template <class T>
Adam<T>::Adam(const AdamOptions& options, std::size_t parameters)
    : options_(options), mean_(parameters, arma::fill::zeros), square_(parameters, arma::fill::zeros) {}

template <class T>
AdamStep<T> Adam<T>::begin_step() {
  power1_ *= options_.beta1;
  power2_ *= options_.beta2;
  return {.beta1 = static_cast<T>(options_.beta1),
          .rest1 = static_cast<T>(1.0 - options_.beta1),
          .beta2 = static_cast<T>(options_.beta2),
          .rest2 = static_cast<T>(1.0 - options_.beta2),
          .rate = static_cast<T>(options_.learning_rate / (1.0 - power1_)),
          .unbias = static_cast<T>(1.0 / std::sqrt(1.0 - power2_)),
          .epsilon = static_cast<T>(options_.epsilon)};
}

template <class T>
AdamState<T> Adam<T>::state(arma::Col<T>& parameters, std::size_t first) {
  return {parameters.memptr() + first, mean_.memptr() + first, square_.memptr() + first};
}

template <class T>
std::optional<T> Adam<T>::end_step(bool finite, const arma::Col<T>& gradient) {
  if (!finite)
    for (std::size_t i = 0; i < gradient.n_elem; ++i)
      if (!std::isfinite(square_(i))) return gradient(i);
  // Moments too small to change any parameter become zero. Those of a dead unit would otherwise decay to
  // subnormal numbers and stay there, with which some processors take a hundred times as long. Every hundred
  // steps is often enough: β₁ = 0.9 takes 174 from 1e-30 to the subnormal numbers.
  if (++steps_ % 100 == 0)
    for (arma::Col<T>* moments : {&mean_, &square_})
      for (T& m : *moments) m = std::abs(m) < T(1e-30) ? T(0) : m;
  return std::nullopt;
}

template <class T>
std::optional<T> Adam<T>::step(arma::Col<T>& parameters, const arma::Col<T>& gradient) {
  const AdamStep<T> step = begin_step();
  return end_step(adam<T>(step, parameters.n_elem, gradient.memptr(), state(parameters)), gradient);
}

template class Adam<float>;
template class Adam<double>;

}  // namespace lacp
