// Spreadsheets as they come: the sheets of an xlsx file, each as a csv.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "table/sheets/zip.hpp"

namespace lacp {

/// How a spreadsheet shows the numbers of a cell.
enum class NumberFormat : char { number, date, time, duration };

/// By the number of a format that every spreadsheet has, or by the code of another: "yyyy-mm-dd", "[h]:mm".
NumberFormat format_of(unsigned id, std::string_view code);

/// A stored number as text: a number in its shortest form; days since 1899-12-30 or, in files of old Macs,
/// since 1904-01-01 as 2022-01-31 23:00:00; a time as 23:00:00, a duration as 101:30:00, to a second, or to a
/// thousandth where it has some.
std::string stored_text(double value, NumberFormat format, bool since_1904);

/// An xlsx file. What its cells hold comes as stored, not as the sheet shows it, rounded or without the year;
/// of a formula its result.
class Workbook {
 public:
  struct Sheet {
    std::string name;
    std::string part = {};  ///< where it is in the file
    bool hidden = false;
  };

  /// `name` is what messages call it. UserError, here and below, if it is no xlsx file, is damaged, or takes
  /// more when unpacked than a file of its size should: 64 MB for a part of it, or 100 times its size.
  Workbook(std::string bytes, std::string name);

  const std::vector<Sheet>& sheets() const { return sheets_; }

  /// A line for each row, so that line and row have the same number as long as no cell has several lines;
  /// nothing below the last row that holds something. Columns that hold nothing are left out. What merged
  /// cells hold stands in the first of them.
  std::string csv(const Sheet& sheet) const;

 private:
  std::string part(const std::string& name) const;
  void read_sheets();
  void read_formats(const std::string& styles);

  std::string name_;
  std::uint64_t most_;  ///< bytes of a part
  ZipArchive archive_;
  std::vector<Sheet> sheets_;
  std::vector<NumberFormat> formats_;  ///< of the styles that cells name
  std::string strings_ = {};           ///< the part with texts that cells share; "": there is none
  bool since_1904_ = false;
};

}  // namespace lacp
