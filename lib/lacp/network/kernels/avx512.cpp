#if defined(__x86_64__)
#include "lacp/network/kernels/vector_kernels.hpp"

namespace lacp {

// Of 32 registers, 24 hold sums, 4 a term's vectors; 16 rows are 6 + 5 + 5, 100 columns 4 + 3 vectors.
const Kernels avx512_kernels = {"avx512", product<Sixteen, 6, 4>, transpose, adam<Sixteen>};

}  // namespace lacp

#endif
