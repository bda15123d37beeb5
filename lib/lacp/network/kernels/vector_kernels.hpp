#pragma once

#include "lacp/network/kernels/vectors.hpp"

// The kernels on vectors. A file for one processor chooses the vector and the block that its registers hold.

namespace lacp {
namespace {

/// f.operator()<size>() for a size from 1 to N.
template <int N, class F>
LACP_INLINE void with_size(std::size_t size, F f) {
  if constexpr (N > 1)
    if (size < N) return with_size<N - 1>(size, f);
  f.template operator()<N>();
}

/// f.operator()<n>(first) for blocks of at most N that cover [0, count) and are as alike as can be: a small
/// block would wait for its own sums. The last is one of the largest.
template <int N, class F>
LACP_INLINE void in_blocks(std::size_t count, F f) {
  const std::size_t blocks = (count + N - 1) / N;
  if (blocks == 0) return;
  const std::size_t size = count / blocks, larger = count % blocks;
  std::size_t first = 0;
  with_size<N>(size, [&]<int n>() {
    for (; first < (blocks - larger) * n; first += n) f.template operator()<n>(first);
  });
  if (larger > 0)
    with_size<N>(size + 1, [&]<int n>() {
      for (; first < count; first += n) f.template operator()<n>(first);
    });
}

/// Rows i … i + R − 1 and N vectors of columns, from j on; the last vector begins at `last`, which may lie
/// within the one before: what both have in common is computed twice, alike, and stored when all is loaded,
/// so that `start` may be C.
template <class V, int R, int N>
LACP_INLINE void product_block(const Product p, std::size_t i, std::size_t j, std::size_t last) {
  const auto column = [=](int n) { return n + 1 < N ? j + static_cast<std::size_t>(n) * lanes<V> : last; };
  V sum[R][N];
  if (p.start.at != nullptr) {
    const float* start = p.start.at + i * p.start.row;
    LACP_UNROLL for (int r = 0; r < R; ++r, start += p.start.row) LACP_UNROLL for (int n = 0; n < N; ++n)
        sum[r][n] = p.start.column == 0 ? splat<V>(*start) : load<V>(start + column(n));
  } else {
    LACP_UNROLL for (int r = 0; r < R; ++r) LACP_UNROLL for (int n = 0; n < N; ++n) sum[r][n] = V{};
  }
  const std::size_t terms = p.terms, a_row = p.a.row, a_term = p.a.term, b_term = p.b.term;
  const float *a = p.a.at + i * a_row, *b = p.b.at;
  for (std::size_t s = 0; s < terms; ++s, a += a_term, b += b_term) {
    V x[N];
    LACP_UNROLL for (int n = 0; n < N; ++n) x[n] = load<V>(b + column(n));
    LACP_UNROLL for (int r = 0; r < R; ++r) {
      const float factor = a[static_cast<std::size_t>(r) * a_row];
      LACP_UNROLL for (int n = 0; n < N; ++n) sum[r][n] = fma_by<V>(x[n], factor, sum[r][n]);
    }
  }
  LACP_UNROLL for (int r = 0; r < R; ++r) {
    LACP_UNROLL for (int n = 0; n < N; ++n) {
      const std::size_t at = (i + static_cast<std::size_t>(r)) * p.c.row + column(n);
      V v = sum[r][n];
      if (p.relu) v = where_active(v, v);
      if (p.active != nullptr) v = where_active(load<V>(p.active + at), v);
      store(p.c.at + at, v);
    }
  }
}

/// For at least as many columns as V has lanes; in blocks of at most `Rows` rows and `Vectors` vectors. Where
/// there are several blocks, the last has two vectors or more, and the one that its last vector overlaps is
/// its own: what another block has stored is no `start` any more.
template <class V, int Rows, int Vectors>
void product_with(const Product p) {  // a copy, which no store can change
  in_blocks<Vectors>((p.columns + lanes<V> - 1) / lanes<V>, [&]<int N>(std::size_t v) {
    const std::size_t j = v * lanes<V>, end = j + N * lanes<V>;
    const std::size_t last = (end < p.columns ? end : p.columns) - lanes<V>;
    in_blocks<Rows>(p.rows, [&]<int R>(std::size_t i) { product_block<V, R, N>(p, i, j, last); });
  });
}

template <class V, int Rows, int Vectors>
void product(const Product& p) {
  if (p.columns >= lanes<V>) {
    if (p.rows == 1) return product_with<V, 1, 8>(p);
    // Few columns, as those of a panel: more rows at once, so that enough sums are under way.
    if constexpr (sizeof(V) > sizeof(Four)) {
      if (p.columns <= lanes<V>) return product_with<V, 10, 1>(p);
      if (p.columns <= 2 * lanes<V>) return product_with<V, 6, 2>(p);
    }
    return product_with<V, Rows, Vectors>(p);
  }
  if constexpr (sizeof(V) > sizeof(Four))
    if (p.columns >= 4) return product_with<Four, 4, 2>(p);
  product_with<float, 4, 3>(p);
}

/// Four by four.
void transpose(const float* from, std::size_t from_lead, std::size_t rows, std::size_t columns, float* to,
               std::size_t to_lead) {
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    std::size_t k = 0;
    for (; k + 4 <= columns; k += 4) {
      const float* f = from + k * from_lead + r;
      const Four a = load<Four>(f), b = load<Four>(f + from_lead), c = load<Four>(f + 2 * from_lead),
                 d = load<Four>(f + 3 * from_lead);
      const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
      const Four AB = __builtin_shufflevector(a, b, 2, 6, 3, 7),
                 CD = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      float* t = to + r * to_lead + k;
      store(t, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
      store(t + to_lead, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
      store(t + 2 * to_lead, __builtin_shufflevector(AB, CD, 0, 1, 4, 5));
      store(t + 3 * to_lead, __builtin_shufflevector(AB, CD, 2, 3, 6, 7));
    }
    for (; k < columns; ++k)
      for (std::size_t n = r; n < r + 4; ++n) to[n * to_lead + k] = from[k * from_lead + n];
  }
  for (; r < rows; ++r)
    for (std::size_t k = 0; k < columns; ++k) to[r * to_lead + k] = from[k * from_lead + r];
}

/// Lanes in which `v` is a finite number, all bits set.
template <class V>
LACP_INLINE auto finite_lanes(V v) {
  if constexpr (lanes<V> == 1)
    return v <= __FLT_MAX__ ? -1 : 0;
  else
    return v <= splat<V>(__FLT_MAX__);
}

template <class V>
LACP_INLINE auto adam_vector(const AdamStep<float>& step, const float* gradient,
                             const AdamState<float>& state, std::size_t i) {
  float *theta = state.theta + i, *mean = state.mean + i, *square = state.square + i;
  const V g = load<V>(gradient + i);
  const V m = (fma_by<V>(load<V>(mean), step.beta1, splat<V>(step.rest1) * g));
  const V v = (fma_by<V>(load<V>(square), step.beta2, splat<V>(step.rest2) * g * g));
  store(mean, m);
  store(square, v);
  store(theta, load<V>(theta) -
                   splat<V>(step.rate) * m / fma_by<V>(square_root(v), step.unbias, splat<V>(step.epsilon)));
  return finite_lanes(v);
}

template <class V>
bool adam(const AdamStep<float>& step, std::size_t count, const float* gradient,
          const AdamState<float>& state) {
  const AdamStep<float> s = step;  // copies, which no store can change
  const AdamState<float> at = state;
  std::size_t i = 0;
  auto finite = finite_lanes(V{});
  for (; i + lanes<V> <= count; i += lanes<V>) finite &= adam_vector<V>(s, gradient, at, i);
  int all = -1;
  for (std::size_t lane = 0; lane < lanes<V>; ++lane) all &= finite[lane];
  for (; i < count; ++i) all &= adam_vector<float>(s, gradient, at, i);
  return all != 0;
}

}  // namespace
}  // namespace lacp
