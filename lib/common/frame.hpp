#pragma once

#include <concepts>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lacp {

/// A derived number: ten significant digits, so that the last bits of a sum, which may differ between
/// processors, do not show. Not a number is an empty field, infinity is "inf".
std::string number_text(double value);

/// A number for people: this many decimals, "∞" and "–" for what is not finite, powers of ten if huge.
std::string display(double value, int decimals = 3);

/// A text, or a number with all its bits, whose text is `number_text`.
struct Field {
  std::string text;
  double number = 0.0;
  bool is_number = false;

  Field(std::string words = "") : text(std::move(words)) {}
  Field(const char* words) : text(words) {}
  template <class T>
  requires std::is_arithmetic_v<T> Field(T value)
      : text(number_text(static_cast<double>(value))), number(static_cast<double>(value)), is_number(true) {}
};

/// The names of a table's columns, and what messages call the table.
struct FrameHeader {
  std::vector<std::string> names;
  std::string source;

  /// UserError naming the file if there is no such column.
  std::size_t column(std::string_view name) const;
};

/// Columns and the texts that they must have.
using Keys = std::vector<std::pair<std::string_view, std::string_view>>;

/// One row of a table; it knows the names of its fields.
struct Row {
  std::shared_ptr<const FrameHeader> header;
  std::vector<Field> fields;
  std::size_t line = 0;  ///< in its table, from 1

  const std::string& operator[](std::size_t column) const { return fields[column].text; }
  const std::string& operator[](std::string_view column) const { return fields[header->column(column)].text; }

  /// UserError naming file, row and column if the field is not a number. An empty field is NaN.
  double number(std::string_view column) const;

  /// The same for a number of things: not negative, whole.
  std::size_t count(std::string_view column) const;

  bool has(const Keys& keys) const;
  void set(std::string_view column, Field value) { fields[header->column(column)] = std::move(value); }
};

/// The one table of the program: rows of texts and numbers under names. What the outputs compute, write and
/// read again (the big data files have their own reader).
class Frame {
 public:
  Frame(std::vector<std::string> names = {}, std::string source = "");

  std::vector<Row> rows;

  const std::vector<std::string>& header() const { return header_->names; }
  std::size_t column(std::string_view name) const { return header_->column(name); }
  double number(std::size_t row, std::string_view name) const { return rows[row].number(name); }
  std::size_t count(std::size_t row, std::string_view name) const { return rows[row].count(name); }
  auto begin() const { return rows.begin(); }
  auto end() const { return rows.end(); }
  std::size_t size() const { return rows.size(); }
  bool empty() const { return rows.empty(); }

  /// Appends a row, which has to be as long as the header; or all rows of a table with the same columns,
  /// which a table without columns takes over. UserError if they are others.
  void add(std::vector<Field> fields);
  void append(const Frame& other);

  /// One more column on the right.
  void add_column(const std::string& name, const std::vector<double>& values);
  Frame without(std::string_view column) const;

  /// The rows that are so, in their order.
  template <std::predicate<const Row&> Is>
  Frame where(const Is& is) const {
    Frame chosen;
    chosen.header_ = header_;
    for (const Row& row : rows)
      if (is(row)) chosen.rows.push_back(row);
    return chosen;
  }
  Frame where(const Keys& keys) const;

  /// The first row with these texts; null if there is none.
  const Row* find(const Keys& keys) const;

  std::vector<double> numbers(std::string_view column) const;

  /// The texts of a column, each once, in the order in which they come.
  std::vector<std::string> distinct(std::string_view column) const;

  /// The rows with each of these texts: a table for each, in that order.
  std::vector<Frame> by(std::string_view column) const;

 private:
  std::shared_ptr<const FrameHeader> header_;
};

/// UserError unless the file is a csv with a header and rows of equal length. Lines that start with '#' are
/// comments. Fields with a comma, a quote or a line break are quoted as in RFC 4180.
Frame read_frame(const std::filesystem::path& file);
Frame parse_frame(const std::string& text, const std::string& source);

/// As csv, and in markdown, where columns of numbers are aligned to the right.
std::string to_text(const Frame& table);
std::string to_markdown(const Frame& table);

/// The fields of one row of a csv; none if it is not a row.
std::vector<std::string> csv_fields(std::string_view row);

}  // namespace lacp
