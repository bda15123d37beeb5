#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace lacp {

/// Whether letters may be bold or coloured there: on a terminal that can, unless NO_COLOR is set
/// (no-color.org).
bool has_colours(std::FILE* stream);

/// A text as it may reach a terminal: control characters are escaped, but for line breaks, tabs and what the
/// program itself draws with (bold letters, a line that is drawn again). Names, titles and paths come from
/// others.
std::string for_terminal(std::string_view text);

}  // namespace lacp
