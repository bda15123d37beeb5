#pragma once

#include <armadillo>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/base/options.hpp"
#include "lacp/table/csv_cells.hpp"

namespace lacp {

/// The columns of a table and where its numbers begin.
struct CsvHeader {
  std::vector<std::string> names;
  std::size_t offset = 0;                 ///< of the first record after the header, in bytes
  std::size_t line = 1;                   ///< of that record
  std::vector<std::string> renamed = {};  ///< names that occur again: the second "x" is "x (2)"
};

/// The numbers of the kept columns.
struct CsvTable {
  std::vector<std::string> names;
  arma::mat values;  ///< one row per kept column, one column per record
};

/// Reads the names of the columns. `source` names the file in messages. UserError for an empty table, UTF-16,
/// a name of the format or a number as a name that is given twice, a number of names that does not fit, or
/// more than 100,000 columns.
CsvHeader read_csv_header(std::string_view bytes, const std::string& source, const CsvFormat& format);

/// A table in memory, or a part of one that begins and ends with a record: where the header says.
struct CsvSource {
  std::string_view bytes;
  const std::string& name;  ///< of the file, for messages
  const CsvFormat& format;
  const CsvHeader& header;
};

/// "t.csv:3: column 2 'b'", where a message about a cell begins.
std::string place_of(const CsvSource& table, std::size_t line, std::size_t column);

/// Where the table has a column of this name, which `option` gave: "--group 'patient'". UserError if it has
/// none.
std::size_t column_named(const CsvSource& table, const std::string& name, std::string_view option);

/// The texts of these columns in the rows that begin on these lines, which are in order.
std::vector<std::vector<std::string>> read_texts(const CsvSource& table,
                                                 const std::vector<std::size_t>& columns,
                                                 const std::vector<std::size_t>& lines);

/// The finite number that a cell holds. UserError if it holds none.
double read_number(const CsvSource& table, std::string_view cell, std::size_t column, std::size_t line);

/// A row that cannot be read, and why.
struct BadRow {
  std::size_t line = 0;
  std::string reason;
};

/// How the cells of a column are read.
enum class CellUse : char {
  skip,
  number,  ///< straight from the bytes; what is no finite number goes to the CellReader
  text,    ///< all of them go there
};

/// The number that stands for a cell, given its text, column and line; none if its row is to be left out.
using CellReader =
    std::function<std::optional<double>(std::string_view cell, std::size_t column, std::size_t line)>;

/// Reads the records below a header, in one pass and straight into the result, with one of these for each
/// column; those read are kept. `lines` gets the line of each row, if asked for. UserError for a record with
/// more or fewer cells than the header, which is left out and goes to `bad_rows` instead if these are given.
/// Memory is at most 8 bytes per byte of input.
CsvTable read_csv(const CsvSource& table, const std::vector<CellUse>& use, const CellReader& reader,
                  std::vector<std::size_t>* lines = nullptr, std::vector<BadRow>* bad_rows = nullptr);

/// All columns, which have to be numbers: UserError, with file, line, column and cell, for everything that is
/// not a finite one.
CsvTable read_csv(std::string_view bytes, const std::string& source, const CsvFormat& format = {});

}  // namespace lacp
