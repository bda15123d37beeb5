#pragma once

#include <string>
#include <vector>

#include "lacp/base/level.hpp"

namespace lacp {

/// Shares of 1 as exact decimals, each once: 0.95, or 95 for percent. `option` is what was given.
std::vector<Level> read_shares(const char* option, const std::vector<std::string>& texts);

/// The levels of --coverage, each at least one half.
std::vector<Level> covering_levels(const std::vector<std::string>& coverage);

}  // namespace lacp
