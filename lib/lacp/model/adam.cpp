#include "lacp/model/adam.hpp"

#include <cmath>

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

template class Adam<float>;
template class Adam<double>;

}  // namespace lacp
