#include "output/labels.hpp"

#include <fmt/format.h>

#include <cctype>

namespace lacp {
namespace {

/// The text with a blank for each control character, U+0080 to U+009F among them.
std::string without_controls(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool pair = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    safe += byte < 0x20 || byte == 0x7f || pair ? ' ' : text[i];
    i += pair ? 1 : 0;
  }
  return safe;
}

}  // namespace

std::string method_label(std::string_view method) {
  return method == "erc_error_fit" ? "erc (error fit)" : std::string(method);
}

std::string tex_escape(std::string_view text) {
  std::string safe;
  for (const char c : without_controls(text)) {
    if (c == '\\')
      safe += "\\textbackslash{}";
    else if (c == '~' || c == '^')
      safe.append(1, '\\').append(1, c).append("{}");
    else if (std::string_view("_%&#${}").find(c) != std::string_view::npos)
      safe.append(1, '\\').append(1, c);
    else
      safe += c;
  }
  return safe;
}

std::string markdown_text(std::string_view text) {
  std::string safe;
  for (const char c : without_controls(text)) {
    if (std::string_view("\\`*_[]<>&~#$").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string markdown_code(std::string_view text) {
  std::string safe = "`";
  for (const char c : without_controls(text)) safe += c == '`' ? '\'' : c;
  return safe + "`";
}

std::string markdown_link(std::string_view path) {
  std::string safe;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::string_view("/._-").find(c) != std::string_view::npos)
      safe += c;
    else
      safe += fmt::format("%{:02X}", byte);
  }
  return safe;
}

std::string method_label_tex(std::string_view method) {
  if (method == "erc_error_fit") return "\\texttt{erc} (error fit)";
  return "\\texttt{" + tex_escape(method) + "}";
}

}  // namespace lacp
