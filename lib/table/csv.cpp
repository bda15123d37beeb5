#include "table/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_columns = 100'000;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// What is wrong with a record of more or fewer cells than the header, seen after `found`. Steps to its end.
std::string ragged_text(CsvCells& cells, const std::string& source, const CsvHeader& header, std::size_t line,
                        char begin, std::size_t found) {
  const std::size_t expected = header.names.size();
  std::string hint = comment_hint(begin == '#' ? "#" : header.names[0]);
  if (found < expected)
    return fmt::format("{}:{}: the row has {} of {} cells; column {} {} has none{}", source, line, found,
                       expected, found + 1, show_text(header.names[found]), hint);
  const std::string extra(cells.text());
  for (++found; cells.another_cell(); ++found) cells.skip();
  if (hint.empty() && cells.delimiter() == ',' && found == 2 * expected && parse_integer(extra))
    hint = "; decimal commas take quotes, or ; between the cells";
  return fmt::format("{}:{}: the row has {} cells; expected {}, so cell {}, {}, belongs to no column{}",
                     source, line, found, expected, expected + 1, show_text(extra), hint);
}

/// A name that occurs again gets a number, unless it was given, or is one: the header is rather a row then.
void tell_apart(CsvHeader& header, bool given, const std::string& where) {
  std::unordered_map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    std::string& name = header.names[i];
    const auto [entry, is_new] = first.emplace(name, i);
    if (is_new) continue;
    if (given || parse_double(name))
      user_fault({.kind = FaultKind::repeated_name}, "{}: columns {} and {} are both named {}", where,
                 entry->second + 1, i + 1, show_text(name));
    std::string other;
    for (std::size_t number = 2; other.empty() || !first.emplace(other, i).second; ++number)
      other = fmt::format("{} ({})", name, number);
    header.renamed.push_back(name = other);
  }
}

/// What is no csv: json; UTF-16 and UTF-32, in which half or three quarters of the bytes of Latin letters are
/// zero; spreadsheets and what is packed, which begin with control characters; lines that would all be one.
void refuse_no_csv(std::string_view bytes, const std::string& source) {
  const std::string_view begin = bytes.substr(0, 64);
  const auto zeros = static_cast<std::size_t>(std::ranges::count(begin, '\0'));
  if (begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF") ||
      (begin.size() > 8 && 3 * zeros > begin.size()))
    user_error("{0}: looks like UTF-{1}: iconv -f UTF-{1} -t UTF-8 {0} > new.csv", source,
               5 * zeros > 3 * begin.size() ? 32 : 16);
  if (begin.starts_with("{\"") || begin.starts_with("[{"))
    user_error("{}: looks like JSON; expected csv, csv.gz or xlsx", source);
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  if (std::ranges::any_of(bytes.substr(0, std::min<std::size_t>(8, bytes.find('\n'))), is_control))
    user_error("{}: is not text; expected csv, csv.gz or xlsx", source);
  const std::size_t at = bytes.find('\r');
  if (at != bytes.npos && at + 1 < bytes.size() && bytes.find('\n') == bytes.npos)
    user_error("{0}: its lines end as on old Macs: tr '\\r' '\\n' < {0} > new.csv", source);
}

/// No record is shorter than a byte per column, so this bounds the result by the size of the input.
std::size_t most_records(std::string_view rest, std::size_t columns) {
  const auto line_ends = static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '\n'));
  const std::size_t open_end = !rest.empty() && rest.back() != '\n' ? 1 : 0;
  return std::min(line_ends + open_end, rest.size() / columns + 1);
}

/// Whether the first rows below a header of so many cells have one more, which begins each of them as a name
/// of its own: a text, or the number of the row.
bool has_row_names(CsvCells cells, std::size_t header) try {
  constexpr std::size_t enough = 50;
  std::unordered_set<std::string> names;
  std::size_t rows = 0;
  for (; rows < enough && cells.start_record(); ++rows) {
    const std::string name(cells.text());
    const bool fits =
        !name.empty() && (!parse_double(name) || parse_integer(name) == static_cast<long long>(rows + 1));
    if (!fits || !names.insert(name).second) return false;
    std::size_t others = 0;
    bool filled = true;
    for (; cells.another_cell(); ++others) filled = !cells.text().empty();
    if (others != header || !filled) return false;  // a row that ends with a delimiter
  }
  return rows > 1;
} catch (const UserError&) {  // whoever reads the rows says what is wrong with them
  return false;
}

}  // namespace

CsvHeader read_csv_header(std::string_view bytes, const std::string& source, const CsvFormat& format) {
  refuse_no_csv(bytes, source);
  CsvHeader header;
  header.offset = bytes.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  if (bytes.substr(header.offset, 4) == "sep=")
    user_error("{}:1: 'sep=' is for spreadsheets; take this line out", source);
  CsvCells cells(bytes, header.offset, 1, format.delimiter, source);
  if (!cells.start_record()) user_error("{}: is empty; expected a table", source);
  const std::size_t line = cells.line();
  do {
    if (header.names.size() == most_columns)
      user_error("{}:{}: has more than {} columns; is {} the right delimiter?", source, line, most_columns,
                 show_text({&format.delimiter, 1}));
    const std::string_view cell = cells.text();
    header.names.push_back(format.header && !cell.empty() ? std::string(cell)
                                                          : fmt::format("c{}", header.names.size() + 1));
  } while (cells.another_cell());
  if (format.header) {
    cells.start_record();
    if (format.names.empty() && has_row_names(cells, header.names.size()))
      header.names.insert(header.names.begin(), "c1");
    header.offset = cells.offset();
    header.line = cells.line();
  }
  if (!format.names.empty()) {
    if (format.names.size() != header.names.size())
      user_error("{}:{}: has {}, but {} given for them", source, line, counted(header.names.size(), "column"),
                 format.names.size() == 1 ? "1 name is" : fmt::format("{} names are", format.names.size()));
    header.names = format.names;
  }
  tell_apart(header, !format.names.empty(), fmt::format("{}:{}", source, line));
  return header;
}

double MemoryColumn::number(std::size_t row) const {
  double value = std::numeric_limits<double>::quiet_NaN();
  if (numbers != nullptr)
    std::memcpy(&value, numbers + static_cast<std::ptrdiff_t>(row) * stride, sizeof value);
  return value;
}

std::string_view MemoryColumn::text(std::size_t row) const {
  return {texts + ends[row], static_cast<std::size_t>(ends[row + 1] - ends[row])};
}

std::string place_of(const CsvSource& table, std::size_t line) {
  return table.memory != nullptr ? fmt::format("row {}", line - 1) : fmt::format("{}:{}", table.name, line);
}

std::string place_of(const CsvSource& table, std::size_t line, std::size_t column) {
  const std::string number = table.memory != nullptr ? "" : fmt::format(" {}", column + 1);
  return fmt::format("{}: column{} {}", place_of(table, line), number, show_text(table.header.names[column]));
}

std::size_t column_named(const CsvSource& table, const std::string& name, std::string_view option) {
  const std::vector<std::string>& names = table.header.names;
  const auto found = std::ranges::find(names, trim(name));
  if (found == names.end())
    user_error("{} {}: {} has no such column{}; its columns: {}", option, show_text(name), table.name,
               did_you_mean(name, names), short_list(names));
  return static_cast<std::size_t>(found - names.begin());
}

void each_cell(const CsvSource& table, const std::vector<std::size_t>& lines, const CellUser& use) {
  for (std::size_t row = 0; table.memory != nullptr && row < lines.size(); ++row)
    for (std::size_t i = 0; i < table.memory->columns.size(); ++i) {
      const MemoryColumn& column = table.memory->columns[i];
      const std::size_t at = lines[row] - table.header.line;
      const double number = column.number(at);
      if (column.texts != nullptr)
        use(row, i, column.text(at));
      else if (!std::isnan(number))
        use(row, i, fmt::format("{}", number));
    }
  CsvCells cells(table.bytes, table.header.offset, table.header.line, table.format.delimiter, table.name);
  for (std::size_t row = 0; row < lines.size() && cells.start_record();) {
    const bool wanted = cells.line() == lines[row];
    std::size_t column = 0;
    do {
      const std::string_view text = cells.text();
      if (wanted) use(row, column, text);
      ++column;
    } while (cells.another_cell());
    if (wanted) ++row;
  }
}

std::vector<std::string> read_column(const CsvSource& table, std::size_t column,
                                     const std::vector<std::size_t>& lines) {
  std::vector<std::string> texts(lines.size());
  each_cell(table, lines, [&](std::size_t row, std::size_t found, std::string_view text) {
    if (found == column) texts[row] = text;
  });
  return texts;
}

std::vector<std::vector<std::string>> read_texts(const CsvSource& table,
                                                 const std::vector<std::size_t>& columns,
                                                 const std::vector<std::size_t>& lines) {
  std::vector<std::vector<std::string>> texts(lines.size(), std::vector<std::string>(columns.size()));
  each_cell(table, lines, [&](std::size_t row, std::size_t column, std::string_view text) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i] == column) texts[row][i] = text;
  });
  return texts;
}

CsvTable read_csv(const CsvSource& source, const std::vector<CellUse>& use, const CellReader& reader,
                  std::vector<std::size_t>* lines, std::vector<BadRow>* bad_rows) {
  const auto& [bytes, name, format, header, not_here] = source;
  const std::size_t columns = header.names.size();
  CsvTable table;
  for (std::size_t i = 0; i < columns; ++i)
    if (use.at(i) != CellUse::skip) table.names.push_back(header.names[i]);

  table.values.set_size(table.names.size(), most_records(bytes.substr(header.offset), columns));
  double* out = table.values.memptr();
  std::size_t records = 0, rows = 0;
  CsvCells cells(bytes, header.offset, header.line, format.delimiter, name);
  for (; cells.start_record(); ++records) {
    const std::size_t line = cells.line();
    const char begin = bytes[cells.offset()];
    double* const row = out;
    bool dropped = false;
    for (std::size_t column = 0;; ++column) {
      double value = 0;
      if (use[column] == CellUse::skip || dropped) {
        cells.skip();
      } else if (use[column] == CellUse::number && cells.number(value)) {
        *out++ = value;
      } else {
        const std::size_t cell_line = cells.line();  // a quoted one may end on another
        const std::optional<double> read = reader(cells.text(), column, cell_line);
        dropped = !read;
        if (read) *out++ = *read;
      }
      const bool more = cells.another_cell();
      if (more == (column + 1 < columns)) {
        if (!more) break;
        continue;
      }
      std::string reason = ragged_text(cells, name, header, line, begin, column + 1);
      if (bad_rows == nullptr) throw UserError(reason, {.line = line});
      if (!dropped) bad_rows->push_back({line, std::move(reason), {.line = line}});
      dropped = true;
      break;
    }
    if (dropped)
      out = row;
    else if (++rows; lines != nullptr)
      lines->push_back(line);
  }
  if (records == 0) user_error("{}: holds a header and no rows; expected one row per observation", name);
  if (rows != table.values.n_cols) table.values.resize(table.names.size(), rows);
  return table;
}

CsvTable read_csv(std::string_view bytes, const std::string& source, const CsvFormat& format) {
  const CsvHeader header = read_csv_header(bytes, source, format);
  const CsvSource table{bytes, source, format, header};
  return read_csv(table, std::vector(header.names.size(), CellUse::number),
                  [&](std::string_view cell, std::size_t column, std::size_t line) {
                    return read_number(table, cell, column, line);
                  });
}

std::string csv_quoted(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos && !field.starts_with('#') && trim(field) == field)
    return field;
  std::string quoted(1, '"');
  for (const char c : field) quoted.append(c == '"' ? 2 : 1, c);
  quoted += '"';
  return quoted;
}

}  // namespace lacp
