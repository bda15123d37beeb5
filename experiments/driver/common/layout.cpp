#include "common/layout.hpp"

#include <algorithm>

#include "lacp/base/text.hpp"

namespace lacp {

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t width = text_width(text);
  return std::string(text).append(width < columns ? columns - width : 0, ' ');
}

std::string padded_left(std::string_view text, std::size_t columns) {
  const std::size_t width = text_width(text);
  return std::string(width < columns ? columns - width : 0, ' ').append(text);
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t used, std::size_t columns) {
  std::string lines;
  std::size_t at = used;
  bool fresh = true;  // nothing on this line yet
  for (const std::string& word : split_text(text, ' ')) {
    if (word.empty()) continue;
    const std::size_t width = text_width(word);
    if (!fresh && at + 1 + width > columns) {
      lines.append("\n").append(indent, ' ');
      at = indent;
      fresh = true;
    }
    if (!fresh) lines += ' ', ++at;
    lines += word;
    at += width;
    fresh = false;
  }
  return lines;
}

}  // namespace lacp
