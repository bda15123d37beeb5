#include <algorithm>
#include <cmath>

#include "step_products.hpp"
#include "timing.hpp"

namespace lacp::bench {
namespace {

// Sums that do not wait for each other. Each addition is written as the processor's own instruction: left to
// the compiler, sums that are all alike become one.

#if defined(__aarch64__)
typedef float Vector __attribute__((vector_size(16)));
#define LACP_FMA(sum, x, y) asm volatile("fmla %0.4s, %1.4s, %2.4s" : "+w"(sum) : "w"(x), "w"(y))
#define LACP_TARGET
#elif defined(__x86_64__)
typedef float Vector __attribute__((vector_size(32)));
typedef float Wide __attribute__((vector_size(64)));
#define LACP_FMA(sum, x, y) asm volatile("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y))
#define LACP_TARGET [[gnu::target("avx2,fma")]]
#endif

#if defined(__aarch64__) || defined(__x86_64__)
/// `times` additions to each of N sums.
#define LACP_MANY_FMAS(name, target, V)                                            \
  template <int N>                                                                 \
  target void name(std::size_t times) {                                            \
    V sum[N] = {}, x = {}, y = {};                                                 \
    for (std::size_t t = 0; t < times; ++t)                                        \
      _Pragma("GCC unroll 32") for (int n = 0; n < N; ++n) LACP_FMA(sum[n], x, y); \
  }
LACP_MANY_FMAS(many_fmas, LACP_TARGET, Vector)
#if defined(__x86_64__)
LACP_MANY_FMAS(many_wide_fmas, [[gnu::target("avx512f")]], Wide)
#endif
#endif

constexpr std::size_t times = 10'000;

/// Operations per second of a function that does this many sums of this many lanes.
double speed(void (*function)(std::size_t), std::size_t sums, std::size_t lanes, double budget) {
  const double seconds = shortest([&] { function(times); }, 0.2 * budget);
  return 2.0 * static_cast<double>(lanes * sums * times) / seconds;
}

#if defined(__aarch64__) || defined(__x86_64__)
/// How many sums keep all pipes busy differs between processors.
double vector_peak(double budget) {
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(float);
  return std::max({speed(many_fmas<8>, 8, lanes, budget), speed(many_fmas<10>, 10, lanes, budget),
                   speed(many_fmas<12>, 12, lanes, budget)});
}
#endif

/// A processor whose fma is a function of the C library.
void plain_fmas(std::size_t count) {
  float sum[8] = {};
  volatile float half = 0.5f;
  const float x = half;
  for (std::size_t t = 0; t < count; ++t)
    for (float& s : sum) s = std::fma(s, x, x);
  for (const float s : sum) keep(s);
}

}  // namespace

double fma_peak(double budget) {
#if defined(__aarch64__)
  return std::max(
      {vector_peak(budget), speed(many_fmas<16>, 16, 4, budget), speed(many_fmas<24>, 24, 4, budget)});
#elif defined(__x86_64__)
  double peak = 0.0;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) peak = vector_peak(budget);
  if (__builtin_cpu_supports("avx512f"))
    peak = std::max({peak, speed(many_wide_fmas<8>, 8, 16, budget), speed(many_wide_fmas<12>, 12, 16, budget),
                     speed(many_wide_fmas<24>, 24, 16, budget)});
  if (peak > 0.0) return peak;
#endif
  return speed(plain_fmas, 8, 1, budget);
}

}  // namespace lacp::bench
