#pragma once

#include <armadillo>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/data/csv_cells.hpp"
#include "lacp/data/options.hpp"

namespace lacp {

/// The columns of a table and where its numbers begin.
struct CsvHeader {
  std::vector<std::string> names;
  std::size_t offset = 0;  ///< of the first record after the header, in bytes
  std::size_t line = 1;    ///< of that record
};

/// The numbers of the kept columns.
struct CsvTable {
  std::vector<std::string> names;
  arma::mat values;  ///< one row per kept column, one column per record
};

/// Reads the names of the columns. `source` names the file in messages. UserError for an empty table, a name
/// that is given twice, a number of names that does not fit, or more than 100,000 columns.
CsvHeader read_csv_header(std::string_view bytes, const std::string& source, const CsvFormat& format);

/// Reads the records below a header, in one pass and straight into the result. Only the columns with keep[i]
/// need to hold numbers; the others are skipped. UserError, with file, line, column and cell, for everything
/// that is not a finite number, and for a record with more or fewer cells than the header. Memory is at most
/// 8 bytes per byte of input.
CsvTable read_csv(std::string_view bytes, const std::string& source, const CsvFormat& format,
                  const CsvHeader& header, const std::vector<bool>& keep, CsvMissing* missing = nullptr);

/// The same with all columns kept.
CsvTable read_csv(std::string_view bytes, const std::string& source, const CsvFormat& format = {});

}  // namespace lacp
