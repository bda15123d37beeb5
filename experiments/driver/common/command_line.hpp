#pragma once

#include <string>
#include <vector>

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

/// Arguments with `--set a=1 b=2` written as `--set a=1 --set b=2`: left to CLI11, an option that takes
/// several values would take the experiment behind them too. What `lacp complete` is asked about stays as it
/// is.
std::vector<std::string> split_settings(const std::vector<std::string>& arguments);

}  // namespace lacp
