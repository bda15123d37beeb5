#include "table/columns.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "lacp/base/model_bytes.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

std::vector<std::string> members_of(std::string_view cell, char separator) {
  std::vector<std::string> members;
  for (const std::string& part : split_text(cell, separator))
    if (!trim(part).empty()) members.emplace_back(trim(part));
  return members;
}

std::size_t attribute_count(const Column& column) {
  if (has_indicators(column.kind)) return column.values.size();
  if (column.kind == ColumnKind::mean && !column.means.empty())
    return column.means.size() / (column.values.size() + 1);
  return column.kind == ColumnKind::date ? column.parts.size() : 1;
}

std::vector<std::string> Columns::attribute_names() const {
  std::vector<std::string> names;
  for (const Column& column : attributes) {
    if (!has_indicators(column.kind) && column.kind != ColumnKind::date)
      names.insert(names.end(), attribute_count(column), column.name);
    for (const DatePart part : column.parts)
      names.push_back(fmt::format("{}.{}", column.name, date_part_name(part)));
    if (has_indicators(column.kind))
      for (const std::string& value : column.values) names.push_back(column.name + "=" + value);
  }
  return names;
}

std::vector<const Column*> Columns::attribute_columns() const {
  std::vector<const Column*> columns;
  for (const Column& column : attributes) columns.resize(columns.size() + attribute_count(column), &column);
  return columns;
}

bool Columns::fills_missing() const {
  return std::ranges::count(attributes, IfMissing::fill, &Column::if_missing) > 0;
}

namespace {

void write_column(ModelWriter& out, const Column& column) {
  out.array(column.name);
  out.number(column.kind);
  out.number(column.if_missing);
  out.texts(column.values);
  out.array(column.parts);
  out.number(column.order);
  out.number(std::uint8_t{column.written.has_value()});
  if (column.written) {
    out.number(column.written->decimal);
    out.array(column.written->unit);
    out.number(column.written->clock);
    out.number(std::uint8_t{column.written->limits});
  }
  out.array(column.means);
  out.number(column.separator);
}

template <class Value>
bool all_differ(const std::vector<Value>& values) {
  return std::set<Value>(values.begin(), values.end()).size() == values.size();
}

/// Whether a fit can have made it.
bool is_fitted(const Column& column) {
  const bool number = column.kind == ColumnKind::number, date = column.kind == ColumnKind::date,
             mean = column.kind == ColumnKind::mean;
  const auto& [name, kind, if_missing, values, parts, order, written, means, separator] = column;
  if (written && (!number || (written->decimal != '.' && written->decimal != ','))) return false;
  if (parts.empty() == date || values.empty() != (number || date) || means.empty() == mean) return false;
  if (!all_differ(values) || !all_differ(parts)) return false;
  if (learns_values(kind) && !std::ranges::is_sorted(values)) return false;
  if (kind == ColumnKind::category && values.size() > most_values) return false;
  if (kind == ColumnKind::list && values.size() > most_members) return false;
  if ((kind == ColumnKind::list) == (separator == '\0')) return false;
  return means.size() % (values.size() + 1) == 0 &&
         std::ranges::all_of(parts, [](DatePart part) { return part <= DatePart::second; }) &&
         std::ranges::all_of(means, [](double value) { return std::isfinite(value); });
}

Column read_column(ModelReader& in) {
  Column column{.name = in.array<std::string>(),
                .kind = in.choice(ColumnKind::list),
                .if_missing = in.choice(IfMissing::fill),
                .values = in.texts(),
                .parts = in.array<std::vector<DatePart>>(),
                .order = in.choice(DateOrder::month_first)};
  if (in.flag())
    column.written = Notation{.decimal = in.number<char>(),
                              .unit = in.array<std::string>(),
                              .clock = in.choice(TimeParts::minutes),
                              .limits = in.flag()};
  column.means = in.array<std::vector<double>>();
  column.separator = in.number<char>();
  in.require(is_fitted(column));
  return column;
}

}  // namespace

void write_columns(ModelWriter& out, const Columns& columns) {
  for (const auto* list : {&columns.attributes, &columns.target}) {
    out.number(std::uint64_t{list->size()});
    for (const Column& column : *list) write_column(out, column);
  }
  out.number(std::uint8_t{columns.log_target});
  out.number(columns.least);
  out.number(columns.most);
  out.number(std::uint8_t{columns.marks.has_value()});
  if (columns.marks) out.texts(*columns.marks);
}

Columns read_columns(ModelReader& in) {
  Columns columns;
  std::vector<std::string> names;
  for (auto* list : {&columns.attributes, &columns.target}) {
    for (auto left = in.number<std::uint64_t>(); left > 0; --left) {
      list->push_back(read_column(in));
      names.push_back(list->back().name);
    }
    in.require(!list->empty());
  }
  in.require(all_differ(names));
  for (const Column& column : columns.target) in.require(column.kind == ColumnKind::number);
  columns.log_target = in.flag();
  columns.least = in.number<double>();
  columns.most = in.number<double>();
  in.require(columns.least < columns.most);
  if (in.flag()) columns.marks = in.texts();
  return columns;
}

}  // namespace lacp
