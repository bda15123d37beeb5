#pragma once

#include <filesystem>
#include <vector>

namespace lacp {

/// Packs the loose cells of these folders of results and says what was done, and what was left and why.
/// Returns the exit code.
int pack_results(const std::vector<std::filesystem::path>& folders);

}  // namespace lacp
