#pragma once

#include <string_view>
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

// The kernels in use for float; plain loops for double.

template <class T>
void product(const Product<T>& p) {
  plain::product(p);
}
template <>
inline void product(const Product<float>& p) {
  kernels().product(p);
}

template <class T>
void transpose(const T* from, std::size_t rows, std::size_t columns, T* to) {
  plain::transpose(from, rows, columns, to);
}
template <>
inline void transpose(const float* from, std::size_t rows, std::size_t columns, float* to) {
  kernels().transpose(from, rows, columns, to);
}

template <class T>
bool adam(const AdamStep<T>& step, std::size_t count, const T* gradient, T* theta, T* mean, T* square) {
  return plain::adam(step, count, gradient, theta, mean, square);
}
template <>
inline bool adam(const AdamStep<float>& step, std::size_t count, const float* gradient, float* theta,
                 float* mean, float* square) {
  return kernels().adam(step, count, gradient, theta, mean, square);
}

}  // namespace lacp
