#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstddef>
#include <string>

namespace lacp {

/// One unit of work.
struct Task {
  std::string dataset;
  std::size_t run = 0;  ///< from 0
  std::string method;
  auto operator<=>(const Task&) const = default;
};

/// "data set linear, run 3, method linear": a name alone may be either.
inline std::string to_text(const Task& task) {
  return fmt::format("data set {}, run {}, method {}", task.dataset, task.run, task.method);
}

}  // namespace lacp
