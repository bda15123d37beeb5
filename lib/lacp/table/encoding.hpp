#pragma once

#include <cstddef>
#include <string>

namespace lacp {

/// Turns each line that is no UTF-8 into it, taken for Windows-1252, of which Latin-1 is a part: older
/// spreadsheets write that. How many lines that were.
std::size_t to_utf8(std::string& bytes);

}  // namespace lacp
