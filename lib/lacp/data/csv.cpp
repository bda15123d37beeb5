#include "lacp/data/csv.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/data/csv_advice.hpp"
#include "lacp/data/csv_cells.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_columns = 100'000;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// A header or a row that may be a comment: what to do about it.
std::string comment_hint(std::string_view text) {
  return text.starts_with('#') ? "; comments are not read: take lines with # out of the file" : "";
}

/// Reads a cell that is not a plain number: quoted, with a plus sign, or wrong.
double unusual_cell(CsvCells& cells, const std::string& source, const CsvHeader& header, std::size_t column,
                    CsvMissing* missing) {
  const std::size_t line = cells.line();
  const std::string_view cell = cells.text();
  double value = 0;
  bool out_of_range = false;
  if (parse_number(cell, value, out_of_range) && std::isfinite(value)) return value;
  const auto message = [&] {
    return fmt::format("{}:{}: column {} {}: {}{}", source, line, column + 1, show_text(header.names[column]),
                       what_is_wrong(cell), comment_hint(header.names[0]));
  };
  if (missing == nullptr || !is_missing_mark(cell)) throw UserError(message());
  if (missing->cells++ == 0) missing->first = message();
  return std::numeric_limits<double>::quiet_NaN();
}

/// A record that begins with this character and has more or fewer cells than the header, seen after `found`.
[[noreturn]] void refuse_ragged(CsvCells& cells, const std::string& source, const CsvHeader& header,
                                std::size_t line, char begin, std::size_t found) {
  const std::size_t expected = header.names.size();
  std::string hint = comment_hint(begin == '#' ? "#" : header.names[0]);
  if (found < expected)
    user_error("{}:{}: the row ends after cell {}; expected {} cells, the next for column {} {}{}", source,
               line, found, expected, found + 1, show_text(header.names[found]), hint);
  const std::string extra(cells.text());
  for (++found; cells.another_cell(); ++found) cells.skip();
  if (hint.empty() && cells.delimiter() == ',' && found == 2 * expected && parse_integer(extra))
    hint = "; decimal commas are not read: write points";
  user_error("{}:{}: the row has {} cells; expected {}, so cell {}, {}, belongs to no column{}", source, line,
             found, expected, expected + 1, show_text(extra), hint);
}

void refuse_repeated_names(const std::vector<std::string>& names, const std::string& where) {
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [entry, is_new] = first.emplace(names[i], i);
    if (!is_new)
      user_error(
          "{}: columns {} and {} are both named {}; if the file has no header row, say header: false, otherwise give the columns names of your own",
          where, entry->second + 1, i + 1, show_text(names[i]));
  }
}

/// No record is shorter than a byte per column, so this bounds the result by the size of the input.
std::size_t most_records(std::string_view rest, std::size_t columns) {
  const auto line_ends = static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '\n'));
  const std::size_t open_end = !rest.empty() && rest.back() != '\n' ? 1 : 0;
  return std::min(line_ends + open_end, rest.size() / columns + 1);
}

}  // namespace

CsvHeader read_csv_header(std::string_view bytes, const std::string& source, const CsvFormat& format) {
  CsvHeader header;
  header.offset = bytes.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  CsvCells cells(bytes, header.offset, 1, format.delimiter, source);
  if (!cells.start_record()) user_error("{}: is empty; expected a table", source);
  const std::size_t line = cells.line();
  do {
    if (header.names.size() == most_columns)
      user_error("{}:{}: has more than {} columns; is {} the right delimiter?", source, line, most_columns,
                 show_text({&format.delimiter, 1}));
    const std::string_view cell = cells.text();
    if (format.header && !cell.empty())
      header.names.emplace_back(cell);
    else
      header.names.push_back(fmt::format("c{}", header.names.size() + 1));
  } while (cells.another_cell());
  if (format.header) {
    cells.start_record();
    header.offset = cells.offset(), header.line = cells.line();
  }
  if (!format.names.empty()) {
    if (format.names.size() != header.names.size())
      user_error("{}:{}: has {}, but {} given for them", source, line, counted(header.names.size(), "column"),
                 format.names.size() == 1 ? "1 name is" : fmt::format("{} names are", format.names.size()));
    header.names = format.names;
  }
  refuse_repeated_names(header.names, fmt::format("{}:{}", source, line));
  return header;
}

CsvTable read_csv(std::string_view bytes, const std::string& source, const CsvFormat& format,
                  const CsvHeader& header, const std::vector<bool>& keep, CsvMissing* missing) {
  const std::size_t columns = header.names.size();
  CsvTable table;
  for (std::size_t i = 0; i < columns; ++i)
    if (keep.at(i)) table.names.push_back(header.names[i]);

  const std::vector<char> wanted(keep.begin(), keep.end());
  table.values.set_size(table.names.size(), most_records(bytes.substr(header.offset), columns));
  double* out = table.values.memptr();
  std::size_t records = 0;
  CsvCells cells(bytes, header.offset, header.line, format.delimiter, source);
  for (; cells.start_record(); ++records) {
    const std::size_t line = cells.line();
    const char begin = bytes[cells.offset()];
    for (std::size_t column = 0;; ++column) {
      if (wanted[column] != 0) {
        double value = 0;
        if (!cells.number(value)) value = unusual_cell(cells, source, header, column, missing);
        *out++ = value;
      } else {
        cells.skip();
      }
      const bool more = cells.another_cell();
      if (more == (column + 1 < columns)) {
        if (!more) break;
        continue;
      }
      refuse_ragged(cells, source, header, line, begin, column + 1);
    }
  }
  if (records == 0) user_error("{}: holds a header and no rows; expected one row per observation", source);
  if (records != table.values.n_cols) table.values.resize(table.names.size(), records);
  return table;
}

CsvTable read_csv(std::string_view bytes, const std::string& source, const CsvFormat& format) {
  const CsvHeader header = read_csv_header(bytes, source, format);
  return read_csv(bytes, source, format, header, std::vector<bool>(header.names.size(), true));
}

}  // namespace lacp
