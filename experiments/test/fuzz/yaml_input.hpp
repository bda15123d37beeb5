#pragma once

#include <algorithm>
#include <fstream>
#include <string>

#include "../lib/test/temporary_folder.hpp"
#include "common/yaml.hpp"
#include "target.hpp"

namespace lacp::fuzz {

/// A file in a folder of its own, for readers that take a path.
struct YamlInput {
  TemporaryFolder folder;
  std::filesystem::path path;
  explicit YamlInput(const std::string& name) : path(folder / name) {}

  const std::filesystem::path& write(std::string_view bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
  }
};

/// Much of everything that yaml has: collections, keys, levels, documents, anchors, aliases, tags, quotes,
/// comments.
inline std::vector<std::string> costly_yaml() {
  std::vector<std::string> inputs;
  for (const char* unit : {"[",  "{",   "- ",  "? ",  ": ",    "a: ",        "!a ",   "&a ",   "*a ", "'",
                           "\"", "|\n", ">\n", "\\",  "#",     "%",          "---\n", "...\n", "\n",  " ",
                           "\t", "\r",  "a",   "a\n", "- a\n", "? a\n: a\n", "\xff",  "\xfe"})
    inputs.push_back(repeat(unit)), inputs.push_back(repeat(unit, "title: "));
  inputs.push_back(repeat("1,", "levels: [", "1]"));
  inputs.push_back(repeat("a,", "{", "a}"));
  inputs.push_back(repeat("\\n", "title: \"", "\""));
  std::string keys = "reference:\n  names:\n", indented, laughs = "a0: &a0 [1]\n";
  for (int i = 0; keys.size() < most_input - 40; ++i) keys += fmt::format("    k{}: x\n", i);
  for (std::size_t i = 0; indented.size() + i + 3 <= most_input; ++i)
    indented += std::string(i, ' ') + "a:\n";
  for (int i = 1; i < 30; ++i) laughs += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
  inputs.insert(inputs.end(), {keys, indented, laughs});
  for (std::string& input : inputs)
    input.resize(std::min(input.size(), most_yaml_bytes));  // more is not read
  inputs.emplace_back(most_input, ' ');
  return inputs;
}

}  // namespace lacp::fuzz
