#if defined(__aarch64__)
#include "lacp/network/kernels/vector_kernels.hpp"

namespace lacp {

// Of 32 registers, 20 hold sums, 5 a term's vectors and 4 its factors; 100 columns are 5 · 5 vectors.
const Kernels neon_kernels = {"neon", product<Four, 4, 5>, transpose, adam<Four>};

}  // namespace lacp

#endif
