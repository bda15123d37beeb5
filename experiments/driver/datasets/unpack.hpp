// Tables as files have them: as they are, packed, or in a spreadsheet.
#pragma once

#include "datasets/description.hpp"

namespace lacp {

/// The table in a file, unpacked or converted if it takes that.
struct TableBytes {
  std::string text;
  std::size_t sheet = 0;  ///< of a spreadsheet, from 1
  std::string note = {};  ///< about other sheets that hold data
};
/// `sheet`: name or number of the one to read; "": the first that is not hidden. UserError if there is no
/// such sheet, or if the file is not what its name says.
TableBytes table_in(const std::filesystem::path& file, const std::string& sheet);

/// The table in the archive, spreadsheet or compressed file of a data set. UserError if that is not what it
/// should be, or unpacked larger than `most_bytes`.
std::string unpacked_table(const DatasetSource& source, std::uint64_t most_bytes);

}  // namespace lacp
