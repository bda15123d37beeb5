#pragma once

#include <string>

namespace lacp {

/// This library's version and those of what it is built on, one per line: mlpack, Armadillo, BLAS, compiler.
std::string version_text();

}  // namespace lacp
