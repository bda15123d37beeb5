#pragma once

#include <string_view>
#include <type_traits>
#include <vector>

#include "lacp/model/kernels/plain.hpp"
#include "lacp/model/kernels/types.hpp"

namespace lacp {

/// The kernels that this processor can run, the fastest last.
const std::vector<const Kernels*>& usable_kernels();

/// The kernels in use: the fastest, or those that the environment variable LACP_KERNELS names (a UserError if
/// this processor cannot run them). The choice is made at the first call.
const Kernels& kernels();

/// From now on, the kernels of that name; "": what kernels() would choose by itself. For tests and
/// benchmarks, which compare them within one program.
void use_kernels(std::string_view name);

inline void product(const Product& p) { kernels().product(p); }

inline void transpose(const float* from, std::size_t rows, std::size_t columns, float* to) {
  kernels().transpose(from, rows, columns, to);
}

/// The kernel in use for float, the plain loop for double.
template <class T>
bool adam(const AdamStep<T>& step, std::size_t count, const T* gradient, T* theta, T* mean, T* square) {
  if constexpr (std::is_same_v<T, float>)
    return kernels().adam(step, count, gradient, theta, mean, square);
  else
    return plain::adam(step, count, gradient, theta, mean, square);
}

}  // namespace lacp
