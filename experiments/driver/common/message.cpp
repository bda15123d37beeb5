#include "common/message.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "lacp/base/text.hpp"

namespace lacp {

bool has_colours(std::FILE* stream) {
  const char *no_colour = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return ::isatty(::fileno(stream)) == 1 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string for_terminal(std::string_view text) {
  std::string safe;
  if (text.starts_with('\r')) safe = '\r', text.remove_prefix(1);
  while (!text.empty()) {
    std::size_t end = text.size(), length = 0;
    for (const std::string_view own : {"\n", "\t", "\033[1m", "\033[0m", "\033[K"})
      if (const std::size_t at = text.find(own); at < end) end = at, length = own.size();
    safe.append(one_line(text.substr(0, end))).append(text.substr(end, length));
    text.remove_prefix(end + length);
  }
  return safe;
}

}  // namespace lacp
