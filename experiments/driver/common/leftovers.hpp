#pragma once

#include <filesystem>

namespace lacp {

/// Removes temporary files that a killed run left behind, if they are too old to be written right now.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace lacp
