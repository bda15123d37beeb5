#include "common/quoted.hpp"

#include "lacp/base/text.hpp"

namespace lacp {

std::string csv_quoted(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos && !field.starts_with('#') && trim(field) == field)
    return field;
  std::string quoted(1, '"');
  for (const char c : field) quoted.append(c == '"' ? 2 : 1, c);
  quoted += '"';
  return quoted;
}

}  // namespace lacp
