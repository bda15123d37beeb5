#include "lacp/model/kernels/plain.hpp"

namespace lacp {

const Kernels scalar_kernels = {"scalar", plain::product<float>, plain::transpose<float>, plain::adam<float>};

}  // namespace lacp
