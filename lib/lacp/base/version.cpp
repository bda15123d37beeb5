#include "lacp/base/version.hpp"

#include <fmt/format.h>

#include "lacp/base/blas.hpp"

namespace lacp {

std::string version_text() { return fmt::format("lacp\n{}", blas_version()); }

}  // namespace lacp
