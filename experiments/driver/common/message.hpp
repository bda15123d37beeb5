#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace lacp {

/// Whether letters may be bold or coloured there: on a terminal that can, unless NO_COLOR is set
/// (no-color.org).
bool has_colours(std::FILE* stream);

/// A text as it may reach a terminal: control characters are escaped, but for line breaks, tabs and what the
/// program itself draws with (bold letters, a line that is drawn again). Names, titles and paths come from
/// others.
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
/// is lost and nothing else: unlike fmt::print this never throws, and the work is worth more than what is
/// said about it.
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  const std::string text = for_terminal(fmt::format(format, std::forward<Args>(args)...));
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Set by --quiet before anything is said.
inline bool quiet = false;

/// The same for what nobody has to act on: not with --quiet.
template <class... Args>
void note(fmt::format_string<Args...> format, Args&&... args) {
  if (!quiet) tell(format, std::forward<Args>(args)...);
}

/// Prints on standard output what was asked for. What cannot be written is told at the end of the program,
/// once.
template <class... Args>
void show(fmt::format_string<Args...> format, Args&&... args) {
  const std::string text = for_terminal(fmt::format(format, std::forward<Args>(args)...));
  std::fwrite(text.data(), 1, text.size(), stdout);
}

/// Says there what was made: not with --quiet.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  if (!quiet) show(format, std::forward<Args>(args)...);
}

}  // namespace lacp
