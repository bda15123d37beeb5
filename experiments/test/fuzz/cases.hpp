// The inputs of a target, all in one text file, a name above each:
//
//     === name
//     |a line of the input
//
// Bytes that are not printable are escaped (\t \r \0 \xd7, and \\), as is a space at the end of a line. A
// line with \ at its end goes on in the next, or is the last of an input that has no line end there.
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/base/error.hpp"

namespace lacp::fuzz {

struct Case {
  std::string name, bytes;
  std::size_t line = 0;  ///< of its name in the file
};

constexpr std::string_view case_mark = "=== ";

inline std::string escaped(char byte) {
  switch (byte) {
    case '\\':
      return "\\\\";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    case '\0':
      return "\\0";
    default:
      break;
  }
  const auto code = static_cast<unsigned char>(byte);
  return code >= 0x20 && code < 0x7f ? std::string(1, byte) : fmt::format("\\x{:02x}", code);
}

inline std::string to_text(const std::vector<Case>& cases) {
  constexpr std::size_t longest = 110;
  std::string text;
  for (const Case& entry : cases) {
    text += fmt::format("{}{}\n|", case_mark, entry.name);
    const std::string& bytes = entry.bytes;
    std::size_t begin = text.size();  // of the line
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const bool last = i + 1 == bytes.size();
      if (bytes[i] == '\n') {
        text += last ? "" : "\n|", begin = text.size();
        continue;
      }
      if (text.size() - begin >= longest) text += "\\\n|", begin = text.size();
      text += bytes[i] == ' ' && (last || bytes[i + 1] == '\n') ? "\\x20" : escaped(bytes[i]);
    }
    text += bytes.ends_with('\n') ? "\n" : "\\\n";
  }
  return text;
}

/// UserError, with file and line, for a text of another form.
inline std::vector<Case> parse_cases(std::string_view text, const std::string& file) {
  std::vector<Case> cases;
  std::size_t number = 0;
  const auto refuse = [&](std::string_view what) { user_error("{}:{}: {}", file, number, what); };
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    if (end == text.npos) refuse("the line has no end");
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.starts_with(case_mark)) {
      cases.push_back({std::string(line.substr(case_mark.size())), "", number});
      continue;
    }
    if (cases.empty() || !line.starts_with('|'))
      refuse("expected '=== ' and a name, or '|' and a line of the input");
    std::string& bytes = cases.back().bytes;
    bool goes_on = false;
    for (line.remove_prefix(1); !line.empty(); line.remove_prefix(1)) {
      if (line.front() != '\\') {
        bytes += line.front();
        continue;
      }
      line.remove_prefix(1);
      goes_on = line.empty();
      if (goes_on) break;
      constexpr std::string_view letters = "\\tr0", meant{"\\\t\r\0", 4};
      if (const std::size_t at = letters.find(line.front()); at != letters.npos) {
        bytes += meant[at];
      } else if (line.size() >= 3 && line[0] == 'x' && std::isxdigit(line[1]) && std::isxdigit(line[2])) {
        bytes += static_cast<char>(std::stoi(std::string(line.substr(1, 2)), nullptr, 16));
        line.remove_prefix(2);
      } else {
        refuse("found '\\' before something else than \\ t r 0 or x and two digits");
      }
    }
    if (!goes_on) bytes += '\n';
  }
  return cases;
}

}  // namespace lacp::fuzz
