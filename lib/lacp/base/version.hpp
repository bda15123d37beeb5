#pragma once

#include <string>

namespace lacp {

/// This library's own version, e.g. "1.1.0".
std::string version();

/// This library's version and those of what it is built on, one per line: mlpack, Armadillo,
/// fmt, yaml-cpp, compiler.
std::string version_text();

}  // namespace lacp
