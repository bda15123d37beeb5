#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lacp {

/// A small csv file as text: what the outputs write and read again (the big data files have their own
/// reader). Fields with a comma, a quote or a line break are quoted as in RFC 4180.
struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::string source;  ///< for messages

  /// UserError naming the file if there is no such column.
  std::size_t column(std::string_view name) const;

  /// UserError naming file, row and column if the field is not a number. An empty field is NaN.
  double number(std::size_t row, std::string_view name) const;

  /// The same for a number of things: not negative, whole.
  std::size_t count(std::size_t row, std::string_view name) const;

  /// Appends a row; it has to be as long as the header.
  void add(std::vector<std::string> row);
};

/// UserError unless the file is a csv with a header and rows of equal length. Lines that start with '#' are
/// comments.
TextTable read_text_table(const std::filesystem::path& file);
TextTable parse_text_table(const std::string& text, const std::string& source);

std::string to_text(const TextTable& table);

/// One field as it stands in a csv, and the fields of one row; none if it is not a row.
std::string csv_quoted(const std::string& field);
std::vector<std::string> csv_fields(std::string_view row);

/// A derived number: ten significant digits, so that the last bits of a sum, which may differ between
/// processors, do not show. Not a number is an empty field, infinity is "inf".
std::string number_text(double value);

/// A number for people: this many decimals, "∞" and "–" for what is not finite, powers of ten when it is huge.
std::string display(double value, int decimals = 3);

/// A table in markdown; columns of numbers are aligned to the right.
std::string to_markdown(const TextTable& table);

}  // namespace lacp
