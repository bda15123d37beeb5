#include "lacp/model/kernels/plain.hpp"

namespace lacp {

const Kernels scalar_kernels = {"scalar", plain::product, plain::transpose, plain::adam<float>};

}  // namespace lacp
