#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lacp {

/// What a terminal is taken to have.
inline constexpr std::size_t terminal_columns = 80;

/// Columns that UTF-8 text takes, one per character.
std::size_t text_width(std::string_view text);

/// The text with blanks behind it, or in front, up to this many columns.
std::string padded(std::string_view text, std::size_t columns);
std::string padded_left(std::string_view text, std::size_t columns);

/// The words of a text on lines of at most `columns`, every line but the first indented by this many blanks.
/// A word is never broken. `used`: columns that are taken on the first line.
std::string wrapped(std::string_view text, std::size_t indent = 0, std::size_t used = 0,
                    std::size_t columns = terminal_columns);

/// A number for people who do not know its unit: five digits, or all of a larger whole number.
std::string five_digits(double value);

/// Rows of fields below each other, each column as wide as it needs and flush right, behind this many blanks.
std::string in_columns(const std::vector<std::vector<std::string>>& rows, std::size_t indent = 0);

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
