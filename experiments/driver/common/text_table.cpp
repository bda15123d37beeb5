#include "common/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// Splits one csv text into records; quotes may hold separators and line breaks.
std::vector<std::vector<std::string>> parse_records(std::string_view text, const std::string& source) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record(1);
  bool quoted = false, comment = false;
  const auto end_record = [&] {
    if (!comment && (record.size() > 1 || !record[0].empty())) records.push_back(record);
    record.assign(1, "");
    comment = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"')
        record.back() += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        record.back() += text[++i];
      else
        quoted = false;
    } else if (c == '\n') {
      end_record();
    } else if (comment || c == '\r') {
      continue;
    } else if (c == '#' && record.size() == 1 && record[0].empty()) {
      comment = true;
    } else if (c == '"' && record.back().empty()) {
      quoted = true;
    } else if (c == ',') {
      record.emplace_back();
    } else {
      record.back() += c;
    }
  }
  if (quoted) user_error("{}: a quoted field has no closing quote; make the file again", source);
  end_record();
  return records;
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i)
    line.append(i == 0 ? "" : ",").append(csv_quoted(fields[i]));
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
bool holds_numbers(const TextTable& table, std::size_t column) {
  return std::ranges::all_of(table.rows, [&](const std::vector<std::string>& row) {
    const std::string& field = row[column];
    const std::size_t start = field.find_first_not_of("*+-(");
    return start != std::string::npos &&
           (std::isdigit(static_cast<unsigned char>(field[start])) || field.starts_with("−") ||
            field.starts_with("**−") || field.starts_with("×") || field.starts_with("–") ||
            field.starts_with("∞"));
  });
}

}  // namespace

std::string csv_quoted(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos && !field.starts_with('#')) return field;
  std::string quoted(1, '"');
  for (const char c : field) quoted.append(c == '"' ? 2 : 1, c);
  quoted += '"';
  return quoted;
}

std::vector<std::string> csv_fields(std::string_view row) {
  try {
    const auto records = parse_records(row, "");
    if (records.size() == 1) return records[0];
  } catch (const UserError&) {
  }
  return {};
}

std::size_t TextTable::column(std::string_view name) const {
  for (std::size_t i = 0; i < header.size(); ++i)
    if (header[i] == name) return i;
  user_error("{}: has no column '{}'; its columns are {}", source, name, join(header, ", "));
}

double TextTable::number(std::size_t row, std::string_view name) const {
  const std::string& field = rows[row][column(name)];
  if (field.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (const auto value = parse_double(field)) return *value;
  user_error("{}: row {}, column '{}': expected a number, found '{}'", source, row + 1, name, field);
}

std::size_t TextTable::count(std::size_t row, std::string_view name) const {
  const std::string& field = rows[row][column(name)];
  if (const auto value = parse_integer(field); value && *value >= 0) return static_cast<std::size_t>(*value);
  user_error("{}: row {}, column '{}': expected a whole number from 0 on, found '{}'", source, row + 1, name,
             field);
}

void TextTable::add(std::vector<std::string> row) {
  if (row.size() != header.size()) throw std::logic_error("a row of a table is not as long as its header");
  rows.push_back(std::move(row));
}

TextTable read_text_table(const std::filesystem::path& file) {
  return parse_text_table(read_file(file), file.string());
}

TextTable parse_text_table(const std::string& text, const std::string& source) {
  const std::vector<std::vector<std::string>> records = parse_records(text, source);
  if (records.empty()) user_error("{}: is empty; expected a csv file with a header", source);
  TextTable table{records.front(), {records.begin() + 1, records.end()}, source};
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (table.rows[i].size() != table.header.size())
      user_error("{}: row {} has {}; the header has {}", source, i + 1,
                 counted(table.rows[i].size(), "field"), table.header.size());
  return table;
}

std::string to_text(const TextTable& table) {
  std::string text = csv_line(table.header);
  for (const auto& row : table.rows) text += csv_line(row);
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

std::string to_markdown(const TextTable& table) {
  const auto line = [](const std::vector<std::string>& fields) {
    std::string text = "|";
    for (const std::string& field : fields) text.append(" ").append(markdown_field(field)).append(" |");
    return text.append("\n");
  };
  std::string text = line(table.header) + "|";
  for (std::size_t i = 0; i < table.header.size(); ++i)
    text += holds_numbers(table, i) ? " ---: |" : " --- |";
  text += '\n';
  for (const auto& row : table.rows) text += line(row);
  return text;
}

}  // namespace lacp
