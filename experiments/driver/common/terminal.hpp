#pragma once

#include <cstdio>

namespace lacp {

/// Whether letters may be bold or coloured there: on a terminal that can, unless NO_COLOR is set
/// (no-color.org).
bool has_colours(std::FILE* stream);

}  // namespace lacp
