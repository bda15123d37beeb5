#pragma once

#include <string>

namespace lacp {

/// Each worker thread runs its own small products, so the BLAS library itself must not start threads. Called
/// once, before any thread is started. Does nothing for a BLAS that has no such switch.
void use_one_blas_thread();

/// Name and version of the BLAS library in use, e.g. "OpenBLAS 0.3.21 (neoversen1)".
std::string blas_version();

}  // namespace lacp
