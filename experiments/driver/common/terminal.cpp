#include "common/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace lacp {

bool has_colours(std::FILE* stream) {
  const char *no_colour = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return ::isatty(::fileno(stream)) == 1 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

}  // namespace lacp
