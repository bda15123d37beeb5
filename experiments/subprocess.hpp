#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lacp {

/// Runs a program with the given arguments inside a folder and waits for it; no shell is involved. Returns
/// its exit code, 127 if there is no such program, 128 + n if signal n ended it.
int run_subprocess(const std::vector<std::string>& command, const std::filesystem::path& folder);

}  // namespace lacp
