#define LACP_NO_FMA
#include "lacp/network/kernels/vector_kernels.hpp"

namespace lacp {

// For a processor without fma of its own, and for every processor: right everywhere, fast nowhere.
const Kernels portable_kernels = {"portable", product<Four, 2, 2>, transpose, adam<Four>};

}  // namespace lacp
