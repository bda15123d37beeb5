#pragma once

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

}  // namespace lacp
