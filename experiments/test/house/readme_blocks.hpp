#pragma once

#include <regex>
#include <string>
#include <vector>

#include "lacp/base/text.hpp"

/// One fenced block of a README: "```sh" or "```yaml some/file.yaml".
struct Block {
  std::string kind, file, text;
};

inline std::vector<Block> blocks_of(const std::string& readme) {
  std::vector<Block> blocks;
  bool inside = false;
  for (const std::string& line : lacp::split_text(readme, '\n')) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (!inside) continue;
      const auto words = lacp::split_text(line.substr(3), ' ');
      blocks.push_back({words[0], words.size() > 1 ? words[1] : "", ""});
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

/// Whether an output is what a page shows: "…" there stands for any text within a line, and alone on a line
/// for any number of lines. Notes of progress appear only where a command is slow, so they are left out.
inline bool is_shown(const std::string& output, const std::string& shown) {
  const std::string printed =
      std::regex_replace(output, std::regex(R"(\d+ of \d+ tasks? done, [^\n]*\n)"), "");
  std::string pattern = std::regex_replace(shown, std::regex(R"([.^$|()\[\]{}*+?\\])"), R"(\$&)");
  pattern = std::regex_replace(pattern, std::regex("\n…\n"), "\n(?:.*\n)*");
  return std::regex_match(printed, std::regex(std::regex_replace(pattern, std::regex("…"), ".*")));
}
