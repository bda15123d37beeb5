#pragma once

#include <cstddef>

// Only types here: files compiled for one processor include this, and an inline function of the standard
// library compiled there could be the copy that the linker keeps for all.

namespace lacp {

/// C(i, j) = start(i, j) + Σ_s A(i, s)·B(s, j), for every i and j: s ascends and each term is added by one
/// fma, so that the result does not depend on how i and j are divided among vectors. Forward pass, backward
/// pass and gradient of a layer are all of this form. C overlaps none of the others; only `start` may be C
/// itself, element for element, to go on with sums that are there already.
struct Product {
  std::size_t rows = 0, columns = 0, terms = 0;  ///< ends of i, j, s
  struct {
    const float* at = nullptr;
    std::size_t row = 0, term = 0;
  } a = {};  ///< A(i, s) = at[i·row + s·term]
  struct {
    const float* at = nullptr;
    std::size_t term = 0;
  } b = {};  ///< B(s, j) = at[s·term + j]
  struct {
    const float* at = nullptr;
    std::size_t row = 0, column = 1;
  } start = {};  ///< start(i, j) = at[i·row + j·column], or 0 without `at`; column is 0 or 1
  struct {
    float* at = nullptr;
    std::size_t row = 0;
  } c = {};                       ///< C(i, j) = at[i·row + j]
  bool relu = false;              ///< C(i, j) ≤ 0 becomes 0; NaN stays NaN
  const float* active = nullptr;  ///< laid out as C: where it is ≤ 0, C(i, j) becomes 0
};

/// Constants of a step of Adam: m ← β₁m + (1 − β₁)g, v ← β₂v + (1 − β₂)g², θ ← θ − rate·m/(unbias·√v + ε).
template <class T>
struct AdamStep {
  T beta1, rest1, beta2, rest2, rate, unbias, epsilon;
};

/// What a step of Adam changes.
template <class T>
struct AdamState {
  T *theta, *mean, *square;
};

/// One implementation of what training spends its time on. All give the same bits.
struct Kernels {
  const char* name;
  void (*product)(const Product&);
  /// to[r·to_lead + k] = from[k·from_lead + r] for r < rows, k < columns: `from` is (rows × columns) and `to`
  /// (columns × rows), both column-major.
  void (*transpose)(const float* from, std::size_t from_lead, std::size_t rows, std::size_t columns,
                    float* to, std::size_t to_lead);
  /// Whether every v is finite: a gradient that is not, or whose square is too large, shows there.
  bool (*adam)(const AdamStep<float>&, std::size_t count, const float* gradient, const AdamState<float>&);
};

extern const Kernels scalar_kernels, portable_kernels;
#if defined(__aarch64__)
extern const Kernels neon_kernels;
#elif defined(__x86_64__)
extern const Kernels avx2_kernels, avx512_kernels;
#endif

}  // namespace lacp
