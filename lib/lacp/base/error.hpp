#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace lacp {

/// What this library throws, but for mistakes in a program that uses it (std::logic_error).
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user's input is wrong: a file, a key, a column, an option. The program prints the message and exits
/// with 2. It names the file and line, the key or column, what was found, what was expected, what to do.
class UserError : public Error {
 public:
  using Error::Error;
};

/// Something failed while running (disk full, download refused, training diverged). The program exits with 1.
class RunError : public Error {
 public:
  using Error::Error;
};

/// Throws a UserError with a formatted message.
template <class... Args>
[[noreturn]] void user_error(fmt::format_string<Args...> format, Args&&... args) {
  throw UserError(fmt::format(format, std::forward<Args>(args)...));
}

/// Throws a RunError with a formatted message.
template <class... Args>
[[noreturn]] void run_error(fmt::format_string<Args...> format, Args&&... args) {
  throw RunError(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace lacp
