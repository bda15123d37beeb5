#pragma once

#include <string>
#include <string_view>

namespace lacp {

/// Why a cell cannot be read as a finite number, and what to do about it: "found '1,5'; expected a number;
/// ...".
std::string what_is_wrong(std::string_view cell);

/// Whether the cell says that there is no value: empty, NA, n/a, nan, null, ?.
bool is_missing_mark(std::string_view cell);

}  // namespace lacp
