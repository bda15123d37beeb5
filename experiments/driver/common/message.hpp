#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

#include "common/terminal.hpp"

namespace lacp {

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

/// Prints on standard output what was asked for.
template <class... Args>
void show(fmt::format_string<Args...> format, Args&&... args) {
  fmt::print("{}", for_terminal(fmt::format(format, std::forward<Args>(args)...)));
}

/// Says there what was made: not with --quiet.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  if (!quiet) show(format, std::forward<Args>(args)...);
}

}  // namespace lacp
