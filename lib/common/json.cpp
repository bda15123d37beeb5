#include "common/json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "table/csv.hpp"

namespace lacp {

std::string json_text(std::string_view text) {
  std::string valid(text), quoted = "\"";
  to_utf8(valid);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto c = static_cast<unsigned char>(valid[i]);
    // U+0080 to U+009F are control characters, too, and a terminal may be what reads this.
    const bool high = c == 0xc2 && i + 1 < valid.size() && static_cast<unsigned char>(valid[i + 1]) < 0xa0;
    if (c == '"' || c == '\\')
      quoted.append(1, '\\').append(1, valid[i]);
    else if (high)
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned char>(valid[++i]));
    else if (turns_text(std::string_view(valid).substr(i, 3))) {
      quoted += fmt::format("\\u20{:02x}", (valid[i + 1] & 0x01) << 6 | (valid[i + 2] & 0x3f));
      i += 2;
    } else if (c < 0x20 || c == 0x7f || c == '<' || c == '>' || c == '&')
      quoted += fmt::format("\\u{:04x}", c);
    else
      quoted += valid[i];
  }
  return quoted += '"';
}

std::string json_number(double value, int digits) {
  if (std::isnan(value)) return "null";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  return fmt::format("{:.{}g}", value == 0.0 ? 0.0 : value, digits);
}

std::string json_object(std::initializer_list<std::pair<std::string_view, std::string>> members) {
  const auto written = [](const auto& member) { return json_text(member.first) + ":" + member.second; };
  return "{" + join_each(members, ",\n", written) + "}";
}

}  // namespace lacp
