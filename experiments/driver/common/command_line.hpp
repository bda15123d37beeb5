#pragma once

#include <string>

namespace lacp {

/// A word as a shell takes it for one.
std::string shell_quoted(const std::string& word);

/// A command for people to copy, option by option.
struct CommandLine {
  std::string text;
  explicit CommandLine(std::string begin) : text(std::move(begin)) {}
  void option(const char* name, const std::string& value) {
    text.append(" ").append(name).append(" ").append(shell_quoted(value));
  }
};

}  // namespace lacp
