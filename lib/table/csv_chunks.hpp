#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "table/csv.hpp"

namespace lacp {

/// A table that is read piece by piece, so that a file of any length takes little memory. Where it is cut
/// depends on the file alone. Lines that are no UTF-8 are turned into it (to_utf8).
class CsvChunks {
 public:
  static constexpr std::size_t usual_size = std::size_t{1} << 18;
  static constexpr std::size_t longest_row = std::size_t{1} << 26;

  /// May change the beginning of a table, some whole rows, and its format before the header is read.
  using Begin = std::function<void(std::string& bytes, CsvFormat& format)>;
  /// Appends to the bytes until they have this size or the table ends. False, with errno, if it cannot.
  using Read = std::function<bool(std::string& bytes, std::size_t size)>;
  /// Reads the header. A pipe will do as well as a file. UserError if it cannot be read, or as for
  /// read_csv_header.
  explicit CsvChunks(const std::filesystem::path& file, const CsvFormat& format,
                     std::size_t size = usual_size, const Begin& begin = {});
  /// The same from elsewhere; `name` is what messages call it.
  CsvChunks(Read read, std::string name, const CsvFormat& format, std::size_t size = usual_size,
            const Begin& begin = {});

  /// Some rows: bytes that begin and end with a record.
  struct Chunk {
    std::string bytes;
    CsvHeader header;  ///< with the line of the first row
  };

  /// The next rows, if any are left. UserError if there are none at all, or if a row is longer than
  /// `longest_row`: a quote was left open.
  std::optional<Chunk> next();

  const CsvHeader& header() const { return header_; }
  const std::string& name() const { return name_; }
  const CsvFormat& format() const { return format_; }
  /// Lines that were no UTF-8, of those read so far.
  std::size_t converted() const { return converted_; }

 private:
  void read_more(std::size_t bytes);
  std::size_t whole_records();

  std::string name_;
  CsvFormat format_;
  std::size_t size_;
  Read read_;
  bool at_end_ = false, any_ = false;
  std::string rest_;  // begins with a record, of which the last may go on in the file
  CsvHeader header_;
  std::size_t converted_ = 0;
  std::size_t line_ = 1;  // of the first record of rest_
};

}  // namespace lacp
