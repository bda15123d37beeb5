#pragma once

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
