#pragma once

#include <string>
#include <string_view>

#include "datasets/description.hpp"

namespace lacp {

/// A table that was made from an archive or a spreadsheet. The description knows at most the checksum of that
/// original, so the checksums of both are kept beside the table, in <table>.sha256.
enum class MadeTable {
  right,    ///< as it was made, from this original
  changed,  ///< not what was made, or made from another original
  unknown,  ///< no checksums beside it: made before they were kept
};

MadeTable check_made_table(const DatasetSource& source, std::string_view table,
                           const std::string& original_sum);

/// Writes the checksums, then the table: whatever ends the program in between, no table is taken for one that
/// it is not.
void write_made_table(const DatasetSource& source, std::string_view table, const std::string& original_sum);

}  // namespace lacp
