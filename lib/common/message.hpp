#pragma once

#include <fmt/format.h>

#include <cstdio>

#include "common/process.hpp"

namespace lacp {

/// Whether letters may be bold there: on a terminal that can, unless NO_COLOR (no-color.org) is set.
bool has_colours(std::FILE* stream);

/// A text as it may reach a terminal, since names and paths come from others: control characters are escaped,
/// but for line breaks, tabs and what the program itself draws with (bold letters, a line drawn again).
std::string for_terminal(std::string_view text);

/// Exit codes of the program, documented in README.md.
enum ExitCode : int {
  exit_done = 0,
  exit_failed = 1,       ///< something failed while running, or does not verify; what was finished is kept
  exit_wrong_input = 2,  ///< the user's input is wrong
};

/// What the program was built from; main says it.
inline std::string program_commit = "unknown";

/// Prints on standard error. Where that cannot be written (a log on a full disk, a closed pipe) the message
/// is lost and nothing else: unlike fmt::print this never throws.
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  const std::string text = for_terminal(fmt::format(format, std::forward<Args>(args)...));
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// A UserError about an option: "--by 'x': is no attribute".
[[noreturn]] void option_error(const std::string& option, const std::string& value, const std::string& wrong);

/// Set by --quiet before anything is said.
inline bool quiet = false;

/// The same for what nobody has to act on: nothing is printed if --quiet is set.
template <class... Args>
void note(fmt::format_string<Args...> format, Args&&... args) {
  if (!quiet) tell(format, std::forward<Args>(args)...);
}

/// Prints on standard output what was asked for. What cannot be written is told once, at the program's end.
template <class... Args>
void show(fmt::format_string<Args...> format, Args&&... args) {
  const std::string text = for_terminal(fmt::format(format, std::forward<Args>(args)...));
  std::fwrite(text.data(), 1, text.size(), stdout);
}

/// Prints a result line on standard output unless --quiet is set.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  if (!quiet) show(format, std::forward<Args>(args)...);
}

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

/// "45 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);

/// Rows of fields below each other, each column as wide as it needs and flush right, behind this many blanks.
/// `words_outside`: the first and the last column are flush left.
std::string in_columns(const std::vector<std::vector<std::string>>& rows, std::size_t indent,
                       bool words_outside = false);

}  // namespace lacp
