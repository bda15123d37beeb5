#include "output/json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace lacp {

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted.append(1, '\\').append(1, c);
    else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&')
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      quoted += c;
  }
  return quoted += '"';
}

std::string json_number(double value, int digits) {
  if (std::isnan(value)) return "null";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  return fmt::format("{:.{}g}", value == 0.0 ? 0.0 : value, digits);
}

std::string json_object(std::initializer_list<std::pair<std::string_view, std::string>> members) {
  std::string text = "{";
  for (const auto& [name, value] : members) {
    if (text.size() > 1) text += ",\n";
    text.append(json_text(name)).append(":").append(value);
  }
  return text += '}';
}

}  // namespace lacp
