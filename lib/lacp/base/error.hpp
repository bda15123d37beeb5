#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lacp {

/// What a program above this library can give advice on, in the words of its own options.
enum class FaultKind : std::uint8_t {
  other,
  option,           ///< values: an option of a program, what it was given, and what is wrong with that
  missing_cell,     ///< of an attribute that may not be missing
  missing_target,   ///< of a target that may not be missing
  no_number,        ///< values: the cell
  text,             ///< a text among numbers; values: the cell
  decimal_mark,     ///< values: the number with a decimal point and with a comma, "" if it is none
  date_order,       ///< a date with the day or the month first
  unseen_category,  ///< values: the cell
  many_categories,  ///< a column has too many different values
  empty_column,     ///< every cell of a column is missing
  repeated_name,    ///< two columns have the same name
  bad_row,          ///< a row that cannot be predicted
  small_batch,      ///< a batch has too few rows for the level of its objective
  large_batch,      ///< whole batches alone are trained on, and there is none
  few_fitted_rows,  ///< what validates leaves too few rows to train on
  few_validation_rows,
};

struct Fault {
  FaultKind kind = FaultKind::other;
  std::vector<std::string> values = {};
  std::size_t line = 0;  ///< of the table; 0: none
};

/// What this library throws, except for mistakes in a program that uses it (std::logic_error).
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, Fault fault = {})
      : std::runtime_error(message), fault_(std::move(fault)) {}
  const Fault& fault() const { return fault_; }

 private:
  Fault fault_;
};

/// The user's input is wrong: a file, a column, a setting. The message says where, what was found and what
/// was expected.
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

/// The same with a fault.
template <class... Args>
[[noreturn]] void user_fault(Fault fault, fmt::format_string<Args...> format, Args&&... args) {
  throw UserError(fmt::format(format, std::forward<Args>(args)...), std::move(fault));
}

/// Throws a RunError with a formatted message.
template <class... Args>
[[noreturn]] void run_error(fmt::format_string<Args...> format, Args&&... args) {
  throw RunError(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace lacp
