#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lacp {

/// The whole file as bytes. UserError if it cannot be read or is larger than `most` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t most = std::size_t{1} << 32);

/// Writes the whole file or nothing: a temporary name in the same folder, synced, then renamed over `path`.
/// Makes the folder if needed. A reader sees the old bytes or the new ones, never a part; RunError keeps the
/// old file.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace lacp
