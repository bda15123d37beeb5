#include "common/command_line.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

namespace lacp {
namespace {

/// key=value, and no file of that name.
bool is_setting(const std::string& word) {
  std::error_code ignored;  // a long value is no name of a file
  const std::string key = word.substr(0, word.find('='));
  return key.size() < word.size() && std::isalpha(static_cast<unsigned char>(word.front())) != 0 &&
         std::ranges::all_of(key, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; }) &&
         !std::filesystem::exists(word, ignored);
}

}  // namespace

std::vector<std::string> split_settings(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "complete") return arguments;
  std::vector<std::string> split;
  bool after_set = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (after_set && is_setting(word))
      split.emplace_back("--set");
    else
      after_set = word == "--set" || word.starts_with("--set=");
    split.push_back(word);
    if (word == "--set" && i + 1 < arguments.size()) split.push_back(arguments[++i]);
  }
  return split;
}

std::string shell_quoted(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-./,=:").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace lacp
