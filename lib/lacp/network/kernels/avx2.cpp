#if defined(__x86_64__)
#include "lacp/network/kernels/vector_kernels.hpp"

namespace lacp {

// Of 16 registers, 12 hold sums, 3 a term's vectors and 1 its factors in turn.
const Kernels avx2_kernels = {"avx2", product<Eight, 4, 3>, transpose, adam<Eight>};

}  // namespace lacp

#endif
