#include "common/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "table/csv.hpp"

namespace lacp {
namespace {

/// The records of a csv text, without lines that begin with '#'.
std::vector<std::vector<std::string>> parse_records(std::string_view text, const std::string& source) {
  std::vector<std::vector<std::string>> records;
  std::optional<CsvCells> cells(std::in_place, text, 0, 1, ',', source);
  while (cells->start_record()) {
    if (text[cells->offset()] == '#') {
      const std::size_t end = std::min(text.find('\n', cells->offset()), text.size());
      cells.emplace(text, end, cells->line(), ',', source);
      continue;
    }
    std::vector<std::string>& record = records.emplace_back();
    do record.emplace_back(cells->text());
    while (cells->another_cell());
  }
  return records;
}

const std::string& text_of(const std::string& field) { return field; }
const std::string& text_of(const Field& field) { return field.text; }

template <class Fields>
std::string csv_line(const Fields& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i)
    line.append(i == 0 ? "" : ",").append(csv_quoted(text_of(fields[i])));
  line += '\n';
  return line;
}

/// A vertical bar or a line break would end the field of a markdown table.
std::string markdown_field(const std::string& field) {
  std::string safe;
  for (const char c : field) {
    if (c == '|') safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  return safe;
}

/// Whether every field of a column reads as a number, with or without sign and emphasis.
bool holds_numbers(const Frame& table, std::size_t column) {
  return std::ranges::all_of(table, [&](const Row& row) {
    const std::string& field = row[column];
    const std::size_t start = field.find_first_not_of("*+-(");
    return start != std::string::npos &&
           (std::isdigit(static_cast<unsigned char>(field[start])) || field.starts_with("−") ||
            field.starts_with("**−") || field.starts_with("×") || field.starts_with("–") ||
            field.starts_with("∞"));
  });
}

[[noreturn]] void wrong_cell(const Row& row, std::string_view column, const char* expected) {
  user_error("{}: row {}, column '{}': expected {}, found '{}'", row.header->source, row.line, column,
             expected, row[column]);
}

}  // namespace

std::vector<std::string> csv_fields(std::string_view row) {
  try {
    const auto records = parse_records(row, "");
    if (records.size() == 1) return records[0];
  } catch (const UserError&) {
  }
  return {};
}

std::size_t FrameHeader::column(std::string_view name) const {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return i;
  user_error("{}: has no column '{}'; its columns are {}", source, name, join(names, ", "));
}

double Row::number(std::string_view column) const {
  const Field& field = fields[header->column(column)];
  if (field.is_number) return field.number;
  if (field.text.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (const auto value = parse_double(field.text)) return *value;
  wrong_cell(*this, column, "a number");
}

std::size_t Row::count(std::string_view column) const {
  const std::string& field = (*this)[column];
  if (const auto value = parse_integer(field); value && *value >= 0) return static_cast<std::size_t>(*value);
  wrong_cell(*this, column, "a count");
}

bool Row::has(const Keys& keys) const {
  return std::ranges::all_of(keys, [&](const auto& key) { return (*this)[key.first] == key.second; });
}

Frame::Frame(std::vector<std::string> names, std::string source)
    : header_(std::make_shared<FrameHeader>(FrameHeader{std::move(names), std::move(source)})) {}

void Frame::add(std::vector<Field> fields) {
  if (fields.size() != header().size()) throw std::logic_error("a row of another length");
  rows.push_back({header_, std::move(fields), rows.size() + 1});
}

void Frame::append(const Frame& other) {
  if (header().empty()) header_ = other.header_;
  if (header() != other.header())
    user_error("{}: its columns are {}; expected {}", other.header_->source, join(other.header(), ", "),
               join(header(), ", "));
  for (const Row& row : other) add(row.fields);
}

void Frame::add_column(const std::string& name, const std::vector<double>& values) {
  FrameHeader wider = *header_;
  wider.names.push_back(name);
  header_ = std::make_shared<FrameHeader>(std::move(wider));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].header = header_;
    rows[i].fields.emplace_back(values[i]);
  }
}

Frame Frame::without(std::string_view name) const {
  const auto at = static_cast<std::ptrdiff_t>(column(name));
  FrameHeader narrower = *header_;
  narrower.names.erase(narrower.names.begin() + at);
  Frame others(std::move(narrower.names), std::move(narrower.source));
  for (Row row : rows) {
    row.fields.erase(row.fields.begin() + at);
    others.add(std::move(row.fields));
  }
  return others;
}

Frame Frame::where(const Keys& keys) const {
  return where([&](const Row& row) { return row.has(keys); });
}

const Row* Frame::find(const Keys& keys) const {
  const auto found = std::ranges::find_if(rows, [&](const Row& row) { return row.has(keys); });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<double> Frame::numbers(std::string_view column) const {
  std::vector<double> values;
  for (const Row& row : rows) values.push_back(row.number(column));
  return values;
}

std::vector<std::string> Frame::distinct(std::string_view column) const {
  std::vector<std::string> texts;
  for (const Row& row : rows)
    if (std::ranges::find(texts, row[column]) == texts.end()) texts.push_back(row[column]);
  return texts;
}

std::vector<Frame> Frame::by(std::string_view column) const {
  std::vector<Frame> parts;
  for (const std::string& text : distinct(column)) parts.push_back(where({{column, text}}));
  return parts;
}

Frame read_frame(const std::filesystem::path& file) { return parse_frame(read_file(file), file.string()); }

Frame parse_frame(const std::string& text, const std::string& source) {
  const std::vector<std::vector<std::string>> records = parse_records(text, source);
  if (records.empty()) user_error("{}: is empty; expected a csv file with a header", source);
  Frame table(records.front(), source);
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i].size() != table.header().size())
      user_error("{}: row {} has {}; the header has {}", source, i, counted(records[i].size(), "field"),
                 table.header().size());
    table.add({records[i].begin(), records[i].end()});
  }
  return table;
}

std::string to_text(const Frame& table) {
  std::string text = csv_line(table.header());
  for (const Row& row : table) text += csv_line(row.fields);
  return text;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "";
  return fmt::format("{:.10g}", value == 0.0 ? 0.0 : value);  // no "-0"
}

std::string display(double value, int decimals) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  if (std::abs(value) >= 1e4) return fmt::format("{:.2e}", value);
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  return text.find_first_not_of("-0.") == std::string::npos && text.starts_with('-') ? text.substr(1) : text;
}

std::string to_markdown(const Frame& table) {
  const auto line = [](const auto& fields) {
    std::string text = "|";
    for (const auto& field : fields) text.append(" ").append(markdown_field(text_of(field))).append(" |");
    return text.append("\n");
  };
  std::string text = line(table.header()) + "|";
  for (std::size_t i = 0; i < table.header().size(); ++i)
    text += holds_numbers(table, i) ? " ---: |" : " --- |";
  text += '\n';
  for (const Row& row : table) text += line(row.fields);
  return text;
}

}  // namespace lacp
