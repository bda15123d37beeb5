#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "datasets/description.hpp"

namespace lacp {

struct FetchOptions {
  std::filesystem::path mirror = {};  ///< folder that is looked into first, by file name; empty: none
  bool show_progress = false;         ///< let the download draw its bar on standard error
  std::uint64_t most_bytes = std::uint64_t{1} << 30;  ///< larger files are refused, downloaded or unpacked
  unsigned most_seconds = 900;                        ///< for one attempt
  unsigned stall_seconds = 30;  ///< an attempt in which next to nothing comes for so long is given up
  unsigned retries = 3;         ///< more attempts when a server is busy or cannot be reached
};

/// The table in an archive, a spreadsheet or a compressed file. What the tool for it may take, of processor
/// time and memory, goes by the size of the file. Its output is kept in `scratch` meanwhile, in a file
/// without a name; empty: where temporary files belong. UserError if the file is not what it should be.
std::string unpacked_table(const DatasetSource& source, const std::filesystem::path& scratch,
                           std::uint64_t most_bytes = FetchOptions{}.most_bytes);

/// Makes the file of a data set available: from the cache if the right file is there, else from the mirror,
/// else from the url. The file must have the description's SHA-256; then it replaces what was there, whole.
/// After that the table is unpacked from the archive or converted from the spreadsheet. Writes into the cache
/// alone. Returns what was done, as text. RunError if it cannot be had, in which case an older file stays as
/// it was.
std::string fetch_dataset(const DatasetDescription& description, const FetchOptions& options);

/// A table that was made from an archive or a spreadsheet. The description knows at most the checksum of that
/// original, so the checksums of both are kept beside the table, in <table>.sha256.
enum class MadeTable {
  right,    ///< as it was made, from this original
  changed,  ///< not what was made, or made from another original
  unknown,  ///< no checksums beside it: made before they were kept
};

MadeTable check_made_table(const DatasetSource& source, std::string_view table,
                           const std::string& original_sum);

}  // namespace lacp
