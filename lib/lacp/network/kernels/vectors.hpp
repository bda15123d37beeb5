#pragma once

#include "lacp/network/kernels/types.hpp"

#if defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <immintrin.h>
#endif

#ifdef __FAST_MATH__
#error fast-math changes results: compile without it
#endif

// Vectors of floats for the processor that the including file is compiled for. Everything is in an unnamed
// namespace, so that files compiled for different processors share no function.

#define LACP_INLINE [[gnu::always_inline]] inline
#if defined(__clang__)
#define LACP_UNROLL _Pragma("clang loop unroll(full)")
#else
#define LACP_UNROLL _Pragma("GCC unroll 32")
#endif

namespace lacp {
namespace {

typedef float Four __attribute__((vector_size(16)));
typedef float Eight __attribute__((vector_size(32)));
typedef float Sixteen __attribute__((vector_size(64)));

/// float itself serves as the vector of one lane.
template <class V>
constexpr std::size_t lanes = sizeof(V) / sizeof(float);

template <class V>
LACP_INLINE V load(const float* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);  // at any address
  return v;
}
template <class V>
LACP_INLINE void store(float* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}
template <class V>
LACP_INLINE V splat(float x) {
  return x - V{};  // exact, also for −0, and recognised as a copy
}

// a·b + c, rounded once, and square roots.

LACP_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LACP_INLINE float square_root(float a) { return __builtin_sqrtf(a); }

#if defined(LACP_NO_FMA)
/// From IEEE operations on doubles. The product is exact there; the sum is rounded to odd (its last bit says
/// whether anything was lost), after which rounding to float is as good as rounding the exact sum.
LACP_INLINE Four fma(Four a, Four b, Four c) {
  typedef double Doubles __attribute__((vector_size(32)));
  typedef long long Bits __attribute__((vector_size(32)));
  const Doubles p = __builtin_convertvector(a, Doubles) * __builtin_convertvector(b, Doubles);
  const Doubles d = __builtin_convertvector(c, Doubles);
  const Doubles sum = p + d, part = sum - p;
  // Exactly, by Knuth's two-sum; NaN if sum is not finite.
  const Doubles lost = (p - (sum - part)) + (d - part);
  const Bits even = (((Bits)sum & 1) == 0), inexact = (lost > 0.0) | (lost < 0.0);
  const Bits away = (((Bits)lost ^ (Bits)sum) >> 63) | 1;  // +1: the exact sum is further from 0; −1: nearer
  return __builtin_convertvector((Doubles)((Bits)sum + (away & even & inexact)), Four);
}
#elif defined(__ARM_NEON)
LACP_INLINE Four fma(Four a, Four b, Four c) { return vfmaq_f32(c, a, b); }
#elif defined(__FMA__)
LACP_INLINE Four fma(Four a, Four b, Four c) { return _mm_fmadd_ps(a, b, c); }
#endif

#if defined(__ARM_NEON)
LACP_INLINE Four square_root(Four a) { return vsqrtq_f32(a); }
#elif defined(__SSE2__)
LACP_INLINE Four square_root(Four a) { return _mm_sqrt_ps(a); }
#else
LACP_INLINE Four square_root(Four a) {
  for (int i = 0; i < 4; ++i) a[i] = __builtin_sqrtf(a[i]);
  return a;
}
#endif

#if defined(__AVX2__) && defined(__FMA__)
LACP_INLINE Eight fma(Eight a, Eight b, Eight c) { return _mm256_fmadd_ps(a, b, c); }
LACP_INLINE Eight square_root(Eight a) { return _mm256_sqrt_ps(a); }
#endif
#if defined(__AVX512F__)
LACP_INLINE Sixteen fma(Sixteen a, Sixteen b, Sixteen c) { return _mm512_fmadd_ps(a, b, c); }
LACP_INLINE Sixteen square_root(Sixteen a) { return _mm512_maskz_sqrt_ps(0xffff, a); }
#endif

/// a·s + c with one factor for all lanes.
template <class V>
LACP_INLINE V fma_by(V a, float s, V c) {
  return fma(a, splat<V>(s), c);
}
#if defined(__ARM_NEON) && !defined(LACP_NO_FMA)
/// Left to itself, GCC 12 copies s into all lanes first, which takes a slot of the pipes that multiply.
template <>
LACP_INLINE Four fma_by(Four a, float s, Four c) {
  asm("fmla %0.4s, %1.4s, %2.s[0]" : "+w"(c) : "w"(a), "w"(s));
  return c;
}
#endif

/// `v` where `test` is positive or NaN, else 0.
template <class V>
LACP_INLINE V where_active(V test, V v) {
  const auto idle = test <= V{};
  if constexpr (lanes<V> == 1)
    return idle ? 0.0f : v;
  else
    return (V)(~idle & (decltype(idle))v);
}

}  // namespace
}  // namespace lacp
