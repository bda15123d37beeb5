#include "lacp/model/kernels/plain.hpp"

namespace lacp {
namespace {

double many_fmas(std::size_t, std::size_t times) {
  float sum[8] = {};
  for (std::size_t t = 0; t < times; ++t)
    for (float& s : sum) s = std::fma(s, 0.5f, 0.5f);
  volatile float total = 0.0f;
  for (const float s : sum) total = total + s;
  return 2.0 * 8 * static_cast<double>(times);
}

}  // namespace

const Kernels scalar_kernels = {"scalar", plain::product<float>, plain::transpose<float>, plain::adam<float>,
                                many_fmas};

}  // namespace lacp
