#pragma once

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lacp/network/kernels/types.hpp"

/// The kernels as plain loops: the definition that the others are held against bit for bit. Adam in double is
/// for the few parameters that all points share.
namespace lacp::plain {

inline void product(const Product& p) {
  for (std::size_t i = 0; i < p.rows; ++i)
    for (std::size_t j = 0; j < p.columns; ++j) {
      float sum = p.start.at != nullptr ? p.start.at[i * p.start.row + j * p.start.column] : 0.0f;
      for (std::size_t s = 0; s < p.terms; ++s)
        sum = std::fma(p.a.at[i * p.a.row + s * p.a.term], p.b.at[s * p.b.term + j], sum);
      const std::size_t at = i * p.c.row + j;
      if (p.relu && sum <= 0.0f) sum = 0.0f;
      if (p.active != nullptr && p.active[at] <= 0.0f) sum = 0.0f;
      p.c.at[at] = sum;
    }
}

inline void transpose(const float* from, std::size_t from_lead, std::size_t rows, std::size_t columns,
                      float* to, std::size_t to_lead) {
  for (std::size_t k = 0; k < columns; ++k)
    for (std::size_t r = 0; r < rows; ++r) to[r * to_lead + k] = from[k * from_lead + r];
}

template <class T>
bool adam(const AdamStep<T>& step, std::size_t count, const T* gradient, const AdamState<T>& state) {
  const auto [theta, mean, square] = state;
  bool finite = true;
  for (std::size_t i = 0; i < count; ++i) {
    const T g = gradient[i];
    mean[i] = std::fma(mean[i], step.beta1, step.rest1 * g);
    square[i] = std::fma(square[i], step.beta2, step.rest2 * g * g);
    theta[i] -= step.rate * mean[i] / std::fma(std::sqrt(square[i]), step.unbias, step.epsilon);
    finite = finite && square[i] <= std::numeric_limits<T>::max();
  }
  return finite;
}

}  // namespace lacp::plain

namespace lacp {

/// The kernels that this processor can run, the fastest last.
const std::vector<const Kernels*>& usable_kernels();

/// The kernels in use: the fastest, or those that the environment variable LACP_KERNELS names (a UserError if
/// this processor cannot run them). The choice is made at the first call.
const Kernels& kernels();

/// From now on, the kernels of that name; "": what kernels() would choose by itself. For tests and
/// benchmarks, which compare them within one program.
void use_kernels(std::string_view name);

/// The kernel in use for float, the plain loop for double.
template <class T>
bool adam(const AdamStep<T>& step, std::size_t count, const T* gradient, const AdamState<T>& state) {
  if constexpr (std::is_same_v<T, float>)
    return kernels().adam(step, count, gradient, state);
  else
    return plain::adam(step, count, gradient, state);
}

}  // namespace lacp
